"""Tansaku: what is added to results before they are shown."""
