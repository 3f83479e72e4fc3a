"""Tansaku: components."""
