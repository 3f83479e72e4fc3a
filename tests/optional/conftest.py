"""Tests that need the extra `models` are collected only where it is installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") and find_spec("sentence_transformers") else ["test_cross_encoder.py"]
