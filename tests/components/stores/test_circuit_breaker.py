"""When a server is asked, and when not."""

import pytest

from components.stores.circuit_breaker import CircuitBreaker
from components.stores.store_errors import StoreTimeoutError, StoreUnavailableError

GONE = StoreUnavailableError("gone")
LATE = StoreTimeoutError("late")
REFUSED = ValueError("refused")


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("components.stores.circuit_breaker.monotonic", clock)
    return clock


def ask(breaker: CircuitBreaker, outcome: Exception | None) -> str:
    """What a caller gets: the server's answer or error, or the breaker's refusal."""
    try:
        with breaker.guard():
            if outcome:
                raise outcome
    except Exception as error:
        return str(error) if error is outcome else "not asked"
    return "answer"


@pytest.mark.parametrize(
    ("outcomes", "last"),
    [
        ([], "answer"),
        ([GONE], "answer"),
        ([GONE, GONE], "not asked"),
        ([GONE, None, GONE], "answer"),
        ([GONE, REFUSED, GONE], "answer"),
        ([LATE], "not asked"),
    ],
    ids=["new", "one failure", "two", "two with an answer between", "a refusal is an answer", "one late answer"],
)
def test_failures_in_a_row_open_it(outcomes: list[Exception | None], last: str, clock: Clock) -> None:
    breaker = CircuitBreaker("http://es:9200", max_failures=2, pause=2.0)
    for outcome in outcomes:
        ask(breaker, outcome)
    assert ask(breaker, None) == last


def test_one_request_decides_after_the_pause(clock: Clock) -> None:
    breaker = CircuitBreaker("http://es:9200", max_failures=2, pause=2.0)
    ask(breaker, LATE)
    clock.now += 2.0
    assert ask(breaker, GONE) == "gone"
    assert ask(breaker, None) == "not asked"
    clock.now += 2.0
    assert ask(breaker, None) == "answer"
    assert ask(breaker, None) == "answer"


def test_others_wait_for_the_one_that_is_tried(clock: Clock) -> None:
    breaker = CircuitBreaker("http://es:9200", max_failures=2, pause=2.0)
    ask(breaker, LATE)
    clock.now += 2.0
    with breaker.guard():
        assert ask(breaker, None) == "not asked"
    assert ask(breaker, None) == "answer"


def test_stores_on_one_server_share_it() -> None:
    breaker = CircuitBreaker.of("http://shared:9200")
    assert CircuitBreaker.of("http://shared:9200") is breaker
    assert CircuitBreaker.of("http://other:9200") is not breaker


@pytest.mark.parametrize("parameters", [{"max_failures": 0}, {"pause": 0.0}])
def test_numbers_out_of_range_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        CircuitBreaker("http://es:9200", **parameters)  # type: ignore[arg-type]
