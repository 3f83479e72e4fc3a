"""Searches from several threads at once, for as long as a block runs, and what became of each."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

Hits = tuple[tuple[str, str, float], ...]
"""Of each hit the id, the text and the score."""


@dataclass(frozen=True)
class Question:
    """
    Something to ask again and again.

    :param kind: What it is counted under.
    :param name: Tells it from others; "" when each time something else is asked.
    :param ask: Asks it.
    """

    kind: str
    name: str
    ask: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class Answer:
    """
    What came of asking once.

    :param question: What was asked.
    :param started: When, by `time.monotonic`.
    :param seconds: How long it took.
    :param version: The version of the corpus that the answer names.
    :param degraded: What it was made without.
    :param hits: What was found.
    :param error: Why there is no answer; "" when there is.
    """

    question: Question
    started: float
    seconds: float
    version: str = ""
    degraded: tuple[str, ...] = ()
    hits: Hits = ()
    error: str = ""


class Load:
    """
    Asks questions in turn, from each thread the next one as soon as the last is answered.

    ```python
    with Load(questions, threads=4) as load:
        keeper.rebuild([folder])
    load.errors()
    ```

    :param questions: What is asked.
    :param threads: How many ask at the same time.
    """

    def __init__(self, questions: Sequence[Question], threads: int):
        self.answers: list[Answer] = []
        self._next = itertools.cycle(questions)
        self._taking = threading.Lock()
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._ask_on, daemon=True) for _ in range(threads)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, is_true: Callable[[Answer], bool], seconds: float) -> Answer | None:
        """
        Wait for an answer to a question that was asked from now on.

        :param is_true: Whether it is the one.
        :param seconds: How long at most.
        :returns: The first such answer, None when none came.
        """
        begun, seen = time.monotonic(), len(self.answers)
        while time.monotonic() < begun + seconds:
            for answer in self.answers[seen:]:
                seen += 1
                if answer.started >= begun and is_true(answer):
                    return answer
            time.sleep(0.01)
        return None

    def errors(self) -> Counter[str]:
        """Why questions got no answer, and how many."""
        return Counter(answer.error for answer in self.answers if answer.error)

    def degraded(self) -> Counter[str]:
        """What answers were made without, and how many."""
        return Counter("+".join(answer.degraded) for answer in self.answers if answer.degraded)

    def _ask_on(self) -> None:
        while not self._ended.is_set():
            with self._taking:
                question = next(self._next)
            self.answers.append(_asked(question))


def mixed(answers: Iterable[Answer]) -> list[str]:
    """
    Questions whose answers can't all be of one generation each: the same corpus version answered them in two ways.

    An answer from two generations has scores, ids or texts that neither of them gives alone.

    :param answers: The answers; those that were made without something don't count.
    :returns: The questions' names.
    """
    found: dict[tuple[str, str], set[Hits]] = {}
    for answer in answers:
        if answer.question.name and not answer.error and not answer.degraded:
            found.setdefault((answer.question.name, answer.version), set()).add(answer.hits)
    return sorted({name for (name, _), ways in found.items() if len(ways) > 1})


def _asked(question: Question) -> Answer:
    started = time.monotonic()
    try:
        told = question.ask()
    except Exception as error:  # whatever it is, it is no answer
        return Answer(question, started, time.monotonic() - started, error=f"{type(error).__name__}: {error}")
    hits = tuple((hit["id"], hit["text"], hit.get("score", hit.get("relevance_score"))) for hit in told["results"])
    return Answer(
        question,
        started,
        time.monotonic() - started,
        told["corpus"]["version"],
        tuple(told["degraded"]),
        hits,
    )
