"""Tells expansions of a query that are worth searching for from the many other things that a language model answers."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from components.analysis.folding import fold
from components.analysis.identifiers import numbers_in
from components.query.protected_spans import ProtectedSpans

_MOST_ANSWERED = 10
_LONGEST = 60  # characters that an expansion of a short query may have
_TIMES_LONGER = 3


@dataclass(frozen=True, slots=True)
class Expansion:
    """
    A variant of a query.

    :param text: The variant.
    :param origin: "rule" or "llm".
    :param accepted: Whether it is searched for.
    :param reason: Why not; "" when it is.
    """

    text: str
    origin: str
    accepted: bool = True
    reason: str = ""

    def to_dict(self) -> dict[str, str | bool]:
        """The expansion as a component's output."""
        return asdict(self)


_MOST_OPENED = 200  # brackets and braces of an answer


def read_answer(answer: str) -> tuple[list[str], str]:
    """
    The expansions in a model's answer, which must be the JSON {"expansions": ["...", ...]} and nothing else.

    >>> read_answer('{"expansions": ["夏季休業の日程"]}')
    (['夏季休業の日程'], '')
    >>> read_answer("Sure! Here they are.")
    ([], 'not JSON')

    :param answer: What the model answered.
    :returns: The expansions and "", or none and the reason.
    """
    if not answer.strip():
        return [], "empty"
    # The object that is wanted holds one list; whatever opens more would only wear down the parser.
    if answer.count("[") + answer.count("{") > _MOST_OPENED:
        return [], "not JSON"
    try:
        value = json.loads(answer)
    except ValueError:
        return [], "not JSON"
    if not isinstance(value, dict) or set(value) != {"expansions"}:
        return [], 'not {"expansions": [...]}'
    texts = value["expansions"]
    reason = ""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        reason = "expansions are no list of texts"
    elif not texts:
        reason = "empty"
    elif len(texts) > _MOST_ANSWERED:
        reason = f"exploding: {len(texts)} expansions"
    return ([], reason) if reason else ([" ".join(text.split()) for text in texts], "")


def text_reason(text: str, query: str, protected: ProtectedSpans, others: Iterable[str]) -> str:
    """
    Why an expansion isn't used, by its letters alone.

    :param text: The expansion.
    :param query: The query.
    :param protected: What the query holds that may not be touched.
    :param others: Expansions that are used already.
    :returns: The reason; "" for none.
    """
    folded = " ".join(fold(text).text.split())
    if not any(char.isalnum() for char in text):
        return "empty"
    if len(text) > max(_LONGEST, _TIMES_LONGER * len(query)):
        return f"exploding: {len(text)} characters"
    if numbers_in(text) != protected.numbers:
        return "changes a number"
    if any(phrase not in folded for phrase in protected.phrases):
        return "changes a quoted phrase"
    if key(text) in {key(other) for other in (query, *others)}:
        return "too alike"
    return ""


def key(text: str) -> str:
    """What two texts are the same by: folded letters and digits."""
    return "".join(char for char in fold(text).text if char.isalnum())


def cosine_reason(cosine: float, lowest: float, highest: float) -> str:
    """Why an expansion isn't used, by its cosine to the query."""
    if cosine < lowest:
        return f"too far: cosine {cosine:.3f}"
    return f"too alike: cosine {cosine:.3f}" if cosine > highest else ""


def cosines(vectors: Sequence[np.ndarray]) -> list[float]:
    """Cosines between the first of some unit vectors and each other one."""
    return [float(vectors[0] @ vector) for vector in vectors[1:]]


def without_surplus(expansions: list[Expansion], most: int) -> list[Expansion]:
    """
    Accept so many at most, each text once.

    :param expansions: Expansions, best first.
    :param most: How many.
    :returns: The same expansions; what is left over says so.
    """
    kept: list[Expansion] = []
    seen: set[str] = set()
    for expansion in expansions:
        if expansion.accepted and expansion.text in seen:
            kept.append(Expansion(expansion.text, expansion.origin, False, "too alike"))
        elif expansion.accepted and len(seen) == most:
            kept.append(Expansion(expansion.text, expansion.origin, False, f"more than {most}"))
        else:
            kept.append(expansion)
            seen |= {expansion.text} if expansion.accepted else set()
    return kept
