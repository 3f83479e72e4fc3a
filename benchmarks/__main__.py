"""Runs all benchmarks, one after the other, each in a process of its own: python -m benchmarks [--json]"""

import subprocess
import sys

BENCHMARKS = (
    "quality",
    "exact_numbers",
    "search_latency",
    "search_latency --pipeline rag_query",
    "japanese",
    "embedder",
    "entities",
    "indexing",
    "memory_speed",
    "memory_replay",
    "retention.compare",
)

if __name__ == "__main__":
    commands = [[sys.executable, "-m", *f"benchmarks.{name}".split(), *sys.argv[1:]] for name in BENCHMARKS]
    sys.exit(max(subprocess.run(command, check=False).returncode for command in commands))
