"""Tansaku: components.analysis."""
