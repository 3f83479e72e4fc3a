"""Runs all benchmarks, one after the other, each in a process of its own: python -m benchmarks [--json]"""

import subprocess
import sys

NAMES = (
    "quality",
    "exact_numbers",
    "search_latency",
    "embedder",
    "entities",
    "indexing",
    "memory_speed",
    "memory_replay",
    "retention.compare",
)

if __name__ == "__main__":
    codes = [subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *sys.argv[1:]], check=False) for name in NAMES]
    sys.exit(max(done.returncode for done in codes))
