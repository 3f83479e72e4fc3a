from typing import Any

import pytest

from memory_components.errors import MemoryInputError
from memory_components.storable import checked_values, fault_of


def nested(depth: int) -> Any:
    """Lists in lists."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, ""),
        ({"rating": 5, "of": ["HR-7#1", None, True, 0.5], "who": {"name": "風力"}}, ""),
        (10**40, ""),
        (nested(50), ""),
        ("\U0001f600", ""),
        ("a\0", "it holds a zero character"),
        ({"a\0": 1}, "it holds a zero character"),
        ([{"a": ["b", "\0"]}], "it holds a zero character"),
        ("\ud800", "it holds half of a surrogate pair"),
        ({"\udfff": 1}, "it holds half of a surrogate pair"),
        ({"a": ({"b": "\ud800"},)}, "it holds half of a surrogate pair"),
        (float("nan"), "it holds a number that is none or infinite"),
        ({"a": [float("-inf")]}, "it holds a number that is none or infinite"),
        (nested(100_000), "it is nested too deeply"),
        ({"a": b"1"}, "it holds what JSON can't carry"),
        ({(1, 2): 1}, "it holds what JSON can't carry"),
    ],
)
def test_what_can_be_stored(value: Any, fault: str) -> None:
    assert fault_of(value) == fault


def test_values_that_can_be_stored_are_copied() -> None:
    given = {"rating": 5}

    kept = checked_values("outcome", given)

    assert kept == given
    assert kept is not given


def test_a_value_that_can_not_be_stored_is_named() -> None:
    with pytest.raises(MemoryInputError, match="outcome: it holds a zero character; leave that out") as refused:
        checked_values("outcome", {"note": "a\0"})

    assert (refused.value.code, refused.value.details) == ("VALUE_NOT_STORABLE", {"argument": "outcome"})
