"""Tansaku: pipelines."""
