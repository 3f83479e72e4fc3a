"""Tests that need the extra `models` are collected only where it is installed."""

from importlib.util import find_spec

NEEDED = ("torch", "sentence_transformers")
collect_ignore = [] if all(map(find_spec, NEEDED)) else ["test_cross_encoder.py", "test_token_classifier.py"]
