"""Tansaku: components.query."""
