"""Tansaku: components.converters."""
