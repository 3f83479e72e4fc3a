"""Tansaku: components.splitters."""
