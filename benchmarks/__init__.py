"""Speed and quality, measured by hand on real data: `python -m benchmarks` or one of its modules."""
