"""Times of calls, and what they are told by."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def timed(function: Callable[..., Any], *args: Any, **options: Any) -> tuple[float, Any]:
    """Seconds that a call takes, and what it returns."""
    started = time.perf_counter()
    answer = function(*args, **options)
    return time.perf_counter() - started, answer


def percentiles(seconds: Any) -> dict[str, float]:
    """
    Milliseconds that half, 95 and 99 of a hundred take at most.

    >>> percentiles([0.001, 0.001])
    {'p50': 1.0, 'p95': 1.0, 'p99': 1.0}
    """
    values = np.percentile(np.array(seconds) * 1000, (50, 95, 99))
    return {name: round(float(value), 2) for name, value in zip(("p50", "p95", "p99"), values, strict=True)}
