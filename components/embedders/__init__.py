"""Tansaku: components.embedders."""
