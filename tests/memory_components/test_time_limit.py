import threading

import pytest

from memory_components.errors import MemoryInputError, MemoryStoreError
from memory_components.time_limit import TimeLimit


def limit(seconds: float = 5.0) -> TimeLimit:
    return TimeLimit("the memory", seconds, MemoryStoreError)


def refuse(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("answer", [1, None, ""])
def test_what_is_answered_in_time(answer: object) -> None:
    assert limit().run(lambda: answer) == answer


def test_what_comes_too_late() -> None:
    released = threading.Event()
    try:
        with pytest.raises(MemoryStoreError, match=r"the memory gave no answer: not done within 0\.05 s"):
            limit(0.05).run(released.wait)
    finally:
        released.set()


def test_failures_reach_the_caller() -> None:
    with pytest.raises(MemoryStoreError, match=r"^no disk$"):
        limit().run(lambda: refuse(MemoryStoreError("no disk")))
    with pytest.raises(MemoryInputError, match="rating"):
        limit().run(lambda: refuse(MemoryInputError("RATING_OUT_OF_RANGE", "rating: 9")))


def test_a_database_that_failed_is_spared_for_a_while() -> None:
    asked: list[int] = []
    tried = limit()

    def fail() -> None:
        asked.append(1)
        raise MemoryStoreError("no disk")

    for _ in range(5):
        with pytest.raises(MemoryStoreError, match="no disk"):
            tried.run(fail)

    assert len(asked) == 2


@pytest.mark.parametrize("seconds", [0, -1])
def test_times_that_are_none(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"timeout: .* must be greater than 0"):
        limit(seconds)
