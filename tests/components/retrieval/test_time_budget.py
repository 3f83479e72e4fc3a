"""Arms whose store is slow, hangs or fails."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from haystack.errors import FilterError

from components.analysis.english import analyze_english
from components.retrieval.keyword_retriever import KeywordRetriever
from components.retrieval.time_budget import TimeBudget
from components.retrieval.vector_retriever import VectorRetriever
from components.retrieval.vectors import QueryVectors


class Store:
    """A store that answers when it is let go, or with an error."""

    def __init__(self, error: Exception | None = None):
        self.let_go = threading.Event()
        self._error = error

    def __getattr__(self, name: str) -> Any:
        def call(*_: Any, **__: Any) -> Any:
            if self._error:
                raise self._error
            self.let_go.wait()
            return []

        return call


@pytest.fixture
def hanging() -> Iterator[Store]:
    store = Store()
    yield store
    store.let_go.set()


def run_arm(arm: str, store: Store, timeout: float | None) -> dict[str, Any]:
    if arm == "keyword":
        keyword = KeywordRetriever(store, {"words": 1.0}, timeout=timeout)
        return keyword.run(analysis=analyze_english("new matter", query=True))
    vectors = QueryVectors((np.array([1.0, 0.0]),), ("new matter",))
    return VectorRetriever(store, timeout=timeout).run(vectors=vectors)


@pytest.mark.parametrize("arm", ["keyword", "vector"])
def test_an_arm_that_hangs_is_given_up(arm: str, hanging: Store) -> None:
    answer = run_arm(arm, hanging, timeout=0.05)
    assert (answer["rankings"], answer["degraded"]) == ([], [arm])


@pytest.mark.parametrize("timeout", [None, 5.0])
@pytest.mark.parametrize("arm", ["keyword", "vector"])
def test_an_arm_that_fails_is_left_out(arm: str, timeout: float | None) -> None:
    answer = run_arm(arm, Store(ConnectionRefusedError("nothing listens there")), timeout)
    assert (answer["rankings"], answer["degraded"]) == ([], [arm])


@pytest.mark.parametrize("timeout", [None, 5.0])
@pytest.mark.parametrize("arm", ["keyword", "vector"])
def test_a_wrong_filter_is_the_callers_error(arm: str, timeout: float | None) -> None:
    with pytest.raises(FilterError, match="no such operator"):
        run_arm(arm, Store(FilterError("no such operator")), timeout)


def test_without_a_limit_the_callers_thread_searches() -> None:
    assert TimeBudget("arm", None).run(threading.get_ident) == threading.get_ident()
    assert TimeBudget("arm", 5.0).run(threading.get_ident) != threading.get_ident()
