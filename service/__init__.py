"""Tansaku: service."""
