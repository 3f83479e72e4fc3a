"""Keeps searches from waiting for a server that doesn't answer."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from weakref import WeakValueDictionary

from components.stores.store_errors import StoreTimeoutError, StoreUnavailableError

logger = logging.getLogger(__name__)

_shared: "WeakValueDictionary[str, CircuitBreaker]" = WeakValueDictionary()
_shared_lock = threading.Lock()


class CircuitBreaker:
    """
    Refuses requests to a server for a while after it failed; then lets one through, whose answer decides.

    An answer that came too late opens it at once, since it cost a search all of its time; other failures do so when
    there were `max_failures` in a row. Any answer closes it, also one to a request that was under way.

    Usage example:
    ```python
    breaker = CircuitBreaker.of("http://127.0.0.1:9200")
    with breaker.guard():
        client.request(...)
    ```
    """

    def __init__(self, server: str, max_failures: int = 2, pause: float = 2.0):
        """
        :param server: The server's name in messages.
        :param max_failures: Failures in a row after which it isn't asked.
        :param pause: Seconds until one request is let through.
        :raises ValueError: If a number is not positive.
        """
        if max_failures < 1 or not pause > 0:
            raise ValueError(f"max_failures and pause must be above 0, not {max_failures!r} and {pause!r}")
        self.server = server
        self.max_failures = max_failures
        self.pause = pause
        self._lock = threading.Lock()
        self._failures = 0
        self._resume_at = 0.0

    @staticmethod
    def of(server: str) -> "CircuitBreaker":
        """
        The breaker of a server.

        :param server: The server's URL or URLs.
        :returns: The object that all stores of this process on that server share.
        """
        with _shared_lock:
            breaker = _shared.get(server)
            if breaker is None:
                breaker = _shared[server] = CircuitBreaker(server)
            return breaker

    @contextmanager
    def guard(self) -> Iterator[None]:
        """
        Run a request.

        :raises StoreUnavailableError: If the server isn't asked now; otherwise what the request raises.
        """
        self._check()
        try:
            yield
        except StoreUnavailableError as error:
            self._failed(isinstance(error, StoreTimeoutError))
            raise
        except Exception:
            self._answered()  # a refusal is an answer
            raise
        self._answered()

    def _check(self) -> None:
        with self._lock:
            if self._failures < self.max_failures:
                return
            now = monotonic()
            if now < self._resume_at:
                raise StoreUnavailableError(f"the server {self.server} isn't asked now, since it failed before")
            # Of the requests that come at the end of a pause only this one is sent.
            self._resume_at = now + self.pause

    def _failed(self, is_late: bool) -> None:
        with self._lock:
            was_open = self._failures >= self.max_failures
            self._failures = self.max_failures if is_late else self._failures + 1
            is_open = self._failures >= self.max_failures
            self._resume_at = monotonic() + self.pause
        if is_open and not was_open:
            logger.warning("the server %s failed; it is tried every %g s from now on", self.server, self.pause)

    def _answered(self) -> None:
        if not self._failures:
            return
        with self._lock:
            was_open = self._failures >= self.max_failures
            self._failures = 0
        if was_open:
            logger.info("the server %s answers again", self.server)
