"""Remembers what was computed last, and how often that helped."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """
    A mapping that forgets what wasn't asked for longest; safe to use from several threads.

    Usage example:

    ```python
    cache: LRUCache[str, int] = LRUCache(1000)
    cache.put("query", 1)
    cache.get("query")  # 1
    ```

    :param size: How many entries it holds; 0 remembers nothing.
    :raises ValueError: If `size` is below 0.
    """

    def __init__(self, size: int):
        if size < 0:
            raise ValueError(f"cache_size: {size!r} is not allowed; it must be 0 or more")
        self._size = size
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0

    def get(self, key: K) -> V | None:
        """The value of a key; None where it isn't there."""
        with self._lock:
            if key not in self._entries:
                self._misses += 1
                return None
            self._hits += 1
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: K, value: V) -> None:
        """Remember a value."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def info(self) -> dict[str, int | float]:
        """
        How often it helped.

        :returns: "size", "hits", "misses" and "hit_rate", 0 to 1.
        """
        with self._lock:
            asked = self._hits + self._misses
            rate = self._hits / asked if asked else 0.0
            return {"size": len(self._entries), "hits": self._hits, "misses": self._misses, "hit_rate": round(rate, 4)}
