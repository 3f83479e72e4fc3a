"""Tansaku: components.stores."""
