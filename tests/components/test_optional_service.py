"""Calls that may fail, hang or be slow."""

import contextvars
import threading

import pytest

from components import optional_service
from components.optional_service import OptionalService


def fail() -> None:
    raise OSError("no route to host")


def test_the_value_is_returned_in_the_caller_s_context() -> None:
    variable = contextvars.ContextVar("variable", default="default")
    variable.set("caller's")
    assert OptionalService("x", timeout=60).call(variable.get) == "caller's"


def test_failures_are_logged_and_give_none(caplog: pytest.LogCaptureFixture) -> None:
    assert OptionalService("x", timeout=60).call(fail) is None
    assert caplog.messages == ["x: OSError: no route to host"]


def test_a_pause_after_failures_in_a_row_then_one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(optional_service, "monotonic", lambda: now[0])
    service = OptionalService("x", timeout=60, max_failures=2, pause=30)
    calls: list[int] = []
    good = lambda: calls.append(1) or "ok"  # noqa: E731
    service.call(fail)
    assert service.call(good) == "ok", "one failure is no reason to pause"
    service.call(fail)
    service.call(fail)
    assert service.call(good) is None
    now[0] += 31
    service.call(fail)
    assert service.call(good) is None, "the try at the end of the pause failed"
    now[0] += 31
    assert [service.call(good), service.call(good)] == ["ok", "ok"]
    assert len(calls) == 3


def test_hanging_calls_can_not_pile_up() -> None:
    release = threading.Event()
    service = OptionalService("hanging", timeout=0.05, max_failures=100, slots=2)
    assert [service.call(release.wait) for _ in range(6)] == [None] * 6
    assert sum(thread.name == "hanging-call" for thread in threading.enumerate()) == 2
    release.set()
    assert OptionalService("x", timeout=60).call(lambda: "ok") == "ok"


@pytest.mark.parametrize("name", ["timeout", "max_failures", "pause", "slots"])
def test_wrong_parameters(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: 0 is not allowed; it must be greater than 0"):
        OptionalService("x", **{"timeout": 1.0, name: 0})
