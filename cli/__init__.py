"""Tansaku: cli."""
