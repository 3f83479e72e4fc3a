"""Tansaku: evaluation."""
