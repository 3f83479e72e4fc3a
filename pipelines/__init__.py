"""Tansaku: pipelines."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
"""The folder that holds the packages, config/ and samples/."""
