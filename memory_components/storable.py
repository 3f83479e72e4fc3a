"""What every database and every JSON reader can hold."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memory_components.errors import MemoryInputError


def fault_of(value: Any) -> str:
    """
    Why a JSON value can't be stored.

    >>> fault_of({"rating": [5, None]}), fault_of({"a": [float("nan")]}), fault_of("a\\0")
    ('', 'it holds a number that is none or infinite', 'it holds a zero character')

    :param value: What JSON can carry: texts, numbers, lists, objects.
    :returns: The reason; "" when it can.
    """
    try:
        json.dumps(value, allow_nan=False)
        for text in _texts(value):
            text.encode()
            if "\0" in text:
                return "it holds a zero character"
    except UnicodeEncodeError:
        return "it holds half of a surrogate pair"
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:
        return "it holds a number that is none or infinite"
    except TypeError:
        return "it holds what JSON can't carry"
    return ""


def checked_values(argument: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """
    Values by name as they are kept.

    >>> checked_values("outcome", {"rating": 5})
    {'rating': 5}

    :param argument: What they are called in messages.
    :param values: Names and JSON values.
    :returns: The values.
    :raises MemoryInputError: VALUE_NOT_STORABLE, when the memory could keep, but not show or export them.
    """
    kept = dict(values)
    if fault := fault_of(kept):
        raise MemoryInputError("VALUE_NOT_STORABLE", f"{argument}: {fault}; leave that out", argument=argument)
    return kept


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in [*value, *value.values()] if isinstance(value, Mapping) else value:
            yield from _texts(each)
