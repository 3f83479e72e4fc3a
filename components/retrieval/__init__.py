"""Tansaku: components.retrieval."""
