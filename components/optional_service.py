"""Calls to models that a search can do without: a time limit, a pause after repeated failures, and a stand-in."""

import contextvars
import logging
import threading
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from haystack import default_from_dict
from haystack.core.serialization import component_to_dict, generate_qualified_class_name, import_class_by_name

logger = logging.getLogger(__name__)

T = TypeVar("T")


class OptionalService:
    """
    Runs calls that may fail, hang or be slow, and never lets them do so to the caller.

    A call that isn't done in time is left behind in its thread, and holds one of `slots` until it ends, so that a
    hanging service can't pile up threads. After `max_failures` failures in a row no call is tried for `pause` seconds;
    then one is, and the next failure starts a new pause.

    Usage example:
    ```python
    service = OptionalService("reranker", timeout=2.0)
    result = service.call(lambda: ranker.run(query=query, documents=documents))
    if result is None:
        ...  # go on without
    ```
    """

    def __init__(
        self,
        name: str,
        timeout: float,
        max_failures: int = 5,
        pause: float = 15.0,
        slots: int = 8,
        fails_with: type[Exception] = Exception,
    ):
        """
        :param name: What the service is called in the log.
        :param timeout: Seconds that a call may take, with the wait for a free slot.
        :param max_failures: Failures in a row that start a pause.
        :param pause: Seconds without calls.
        :param slots: Calls at the same time.
        :param fails_with: The exceptions that mean that the service failed; others reach the caller.
        :raises ValueError: If a number is not positive.
        """
        for argument, value in {
            "timeout": timeout,
            "max_failures": max_failures,
            "pause": pause,
            "slots": slots,
        }.items():
            if not value > 0:
                raise ValueError(f"{argument}: {value!r} is not allowed; it must be greater than 0")
        self.name = name
        self.timeout = timeout
        self.max_failures = max_failures
        self.pause = pause
        self.error = ""
        """Why the last call failed; "" when it didn't."""
        self._fails_with = fails_with
        self._slots = threading.BoundedSemaphore(slots)
        self._lock = threading.Lock()
        self._failures = 0
        self._resume_at = 0.0

    def call(self, function: Callable[[], T], timeout: float | None = None) -> T | None:
        """
        Run `function` in a thread of its own and wait for it.

        :param function: The call; what it raises is logged as a warning.
        :param timeout: Seconds for this call, in place of the service's.
        :returns: What it returns; None if it failed, wasn't done in time or wasn't tried.
        :raises Exception: What it raises that isn't one of `fails_with`.
        """
        timeout = timeout or self.timeout
        deadline = monotonic() + timeout
        if self._pausing():
            return None
        if not self._slots.acquire(timeout=timeout):
            self._failed(f"no call ended within {timeout:g} s")
            return None
        done = threading.Event()
        outcome: dict[str, Any] = {}
        # The thread keeps the caller's context, so that what it traces hangs below the caller's span.
        context = contextvars.copy_context()

        def work() -> None:
            try:
                outcome["value"] = context.run(function)
            except Exception as error:
                outcome["error"] = error
            finally:
                self._slots.release()
                done.set()

        # A daemon: a service that hangs must not keep the process from ending, as a thread pool's worker would.
        try:
            threading.Thread(target=work, name=f"{self.name}-call", daemon=True).start()
        except RuntimeError as error:  # the system has no thread left
            self._slots.release()
            self._failed(str(error))
            return None
        if not done.wait(deadline - monotonic()):
            self._failed(f"not done within {timeout:g} s")
            return None
        if "error" in outcome:
            failure = outcome["error"]
            if not isinstance(failure, self._fails_with):
                raise failure
            self._failed(f"{type(failure).__name__}: {failure}")
            return None
        with self._lock:
            self._failures, self.error = 0, ""
        return outcome["value"]

    def _pausing(self) -> bool:
        with self._lock:
            if self._failures < self.max_failures:
                return False
            now = monotonic()
            if now < self._resume_at:
                return True
            # Of the calls that come at the end of a pause only this one is tried.
            self._resume_at = now + self.pause
            return False

    def _failed(self, reason: str) -> None:
        with self._lock:
            self._failures += 1
            self._resume_at = monotonic() + self.pause
            pausing = self._failures >= self.max_failures
        self.error = reason = reason if len(reason) <= 300 else reason[:297] + "..."
        logger.warning("%s: %s%s", self.name, reason, f"; not tried for {self.pause:g} s" if pausing else "")


class Unavailable:
    """
    Stands in for a component that can't be made, so that the pipeline loads and says at each use what is missing.

    :param spec: The component's serialised form, kept for serialisation.
    :param reason: Why it can't be made.
    """

    def __init__(self, spec: dict[str, Any], reason: str):
        self.spec, self.reason = spec, reason

    def run(self, *_: Any, **__: Any) -> dict[str, Any]:
        """
        Always fails.

        :raises RuntimeError: With the reason.
        """
        raise RuntimeError(self.reason)


def part_to_dict(part: Any | None, name: str) -> dict[str, Any] | None:
    """
    Serialise a component that is an init parameter of another.

    :param part: The component, its stand-in, or None.
    :param name: Name of the init parameter.
    :returns: Its serialised form.
    """
    if part is None or isinstance(part, Unavailable):
        return part.spec if part else None
    return component_to_dict(part, name)


def from_dict_or_unavailable(cls: type[T], data: dict[str, Any], part: str) -> T:
    """
    Deserialise a component whose init parameter `part` is a component that may be impossible to make here.

    :param cls: The component's class.
    :param data: Its serialised form.
    :param part: Name of the init parameter.
    :returns: The component, with an `Unavailable` in place of a part whose package, key or model is missing.
    """
    data = deepcopy(data)
    parameters = data.get("init_parameters", {})
    spec = parameters.get(part)
    if isinstance(spec, dict):
        try:
            part_class: Any = import_class_by_name(spec["type"])
            # Packages offer their classes higher up than where they define them, and Haystack insists on the latter.
            own = {**deepcopy(spec), "type": generate_qualified_class_name(part_class)}
            make = part_class.from_dict if hasattr(part_class, "from_dict") else partial(default_from_dict, part_class)
            parameters[part] = make(own)
        except Exception as error:  # whatever the foreign class raises: its package, key or model is missing
            reason = f"{spec.get('type')} can't be made: {error}"
            logger.warning("%s: %s", part, reason)
            parameters[part] = Unavailable(spec, reason)
    return default_from_dict(cls, data)
