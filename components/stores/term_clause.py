"""What a keyword query asks for: weighted terms and phrases."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

Phrase = tuple[str, list[str]]  # a text field, and tokens in a row


@dataclass(frozen=True, slots=True)
class TermClause:
    """
    Asks for one exact token in one text field of a keyword store.

    :param field: The text field, a key of `Document.meta["index"]`.
    :param term: The token exactly as it was indexed; it is not analysed again.
    :param weight: Factor on the token's BM25 score, above 0.
    """

    field: str
    term: str
    weight: float = 1.0


def added_weights(clauses: Iterable[TermClause]) -> dict[tuple[str, str], float]:
    """
    The terms of a query, each once.

    :param clauses: The query's terms.
    :returns: (text field, term) -> weight; the weights of a repeated term add up.
    """
    weights: dict[tuple[str, str], float] = {}
    for clause in clauses:
        key = (clause.field, clause.term)
        weights[key] = weights.get(key, 0.0) + clause.weight
    return weights


def check_text_field(field: str, text_fields: Collection[str]) -> None:
    """
    Check that an index has a text field.

    :param field: The field.
    :param text_fields: The index's text fields.
    :raises ValueError: If it isn't one of them.
    """
    if field not in text_fields:
        allowed = ", ".join(sorted(text_fields)) or "none"
        raise ValueError(f"the index has no text field {field!r}; it has: {allowed}")


def check_phrase(phrase: Phrase, text_fields: Collection[str]) -> None:
    """
    Check that a phrase can be looked up.

    :param phrase: The phrase.
    :param text_fields: The index's text fields.
    :raises ValueError: If it has no tokens, or its field isn't in the index.
    """
    field, tokens = phrase
    check_text_field(field, text_fields)
    if not tokens:
        raise ValueError(f"phrases: a phrase in {field!r} has no tokens")
