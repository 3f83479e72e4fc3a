"""How long a search waits for the memory."""

from collections.abc import Callable
from typing import TypeVar

from components.optional_service import OptionalService

T = TypeVar("T")

_MAX_FAILURES, _PAUSE = 2, 2.0
_SLOTS = 64  # calls at the same time


class TimeLimit:
    """
    Runs what asks the memory's database, and gives up what isn't done in time: a database can be locked, or hang.

    After two failures in a row it isn't asked for two seconds.

    Usage example:
    ```python
    TimeLimit("the memory", 2.0, MemoryStoreError).run(lambda: store.sessions.count())
    ```

    :param name: What is asked, in messages.
    :param seconds: How long it may take.
    :param failure: The exception that says that the database is out of order.
    :raises ValueError: If the time is not positive.
    """

    def __init__(self, name: str, seconds: float, failure: type[Exception]):
        self._name = name
        self._failure = failure
        self._service = OptionalService(name, seconds, _MAX_FAILURES, _PAUSE, _SLOTS, failure)

    def run(self, ask: Callable[[], T]) -> T:
        """
        Ask.

        :param ask: The call.
        :returns: What it returns.
        :raises Exception: `failure`, when it was late or not tried, since others failed; or what it raises.
        """
        failures: list[Exception] = []

        def asked() -> tuple[T]:
            try:
                return (ask(),)
            except self._failure as error:
                failures.append(error)
                raise

        outcome = self._service.call(asked)
        if outcome is not None:
            return outcome[0]
        if failures:
            raise failures[0]
        raise self._failure(f"{self._name} gave no answer: {self._service.error}")
