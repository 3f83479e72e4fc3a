"""Bars that a measurement has to reach, and how they are told."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
"""Real data beside the project; no part of it."""


@dataclass(frozen=True)
class Bar:
    """
    A measured value and what it has to be.

    :param name: What was measured.
    :param value: The result.
    :param limit: The bound.
    :param most: Whether the limit is the highest allowed value; the lowest otherwise.
    """

    name: str
    value: float
    limit: float
    most: bool = False

    @property
    def ok(self) -> bool:
        """Whether the value reaches the bar."""
        return self.value <= self.limit if self.most else self.value >= self.limit

    def __str__(self) -> str:
        sign = "<=" if self.most else ">="
        return f"{'ok  ' if self.ok else 'MISS'} {self.name}: {self.value:.4g} (bar: {sign} {self.limit:g})"


def tell(benchmark: str, results: dict[str, Any], bars: list[Bar], as_json: bool) -> bool:
    """
    Print what was measured.

    :param benchmark: The benchmark's name.
    :param results: The numbers behind the bars.
    :param bars: The bars.
    :param as_json: Print one JSON object instead of lines.
    :returns: Whether all bars are reached.
    """
    ok = all(bar.ok for bar in bars)
    if as_json:
        rows = [{**asdict(bar), "ok": bar.ok} for bar in bars]
        sys.stdout.write(json.dumps({"benchmark": benchmark, "results": results, "bars": rows, "ok": ok}) + "\n")
        return ok
    sys.stdout.write(f"{benchmark}\n")
    for name, value in results.items():
        sys.stdout.write(f"  {name}: {value}\n")
    for bar in bars:
        sys.stdout.write(f"  {bar}\n")
    sys.stdout.flush()
    return ok
