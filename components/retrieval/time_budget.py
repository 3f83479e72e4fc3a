"""How long an arm of a search may take before the search goes on without it."""

from collections.abc import Callable
from typing import TypeVar

from components.optional_service import OptionalService

T = TypeVar("T")

_SLOTS = 64  # searches of one arm at the same time
_MAX_FAILURES, _PAUSE = 3, 2.0


class TimeBudget:
    """
    Runs searches of a store and gives up those that aren't done in time.

    After three in a row that failed or came too late the store isn't asked for two seconds.

    Usage example:
    ```python
    TimeBudget("keyword arm", 2.0).run(lambda: store.search(clauses))
    ```

    :param name: What is searched, in messages.
    :param seconds: How long a search may take; None for as long as it wants, in the caller's own thread.
    :raises ValueError: If the time is not positive.
    """

    def __init__(self, name: str, seconds: float | None):
        self._service = (
            None if seconds is None else OptionalService(name, seconds, _MAX_FAILURES, _PAUSE, _SLOTS, OSError)
        )

    def run(self, search: Callable[[], T]) -> T | None:
        """
        Search.

        :param search: The search.
        :returns: What it returns; None if it wasn't done in time, failed in time, or wasn't tried.
        :raises OSError: What the store raises when it can't be reached and there is no limit.
        """
        return search() if self._service is None else self._service.call(search)
