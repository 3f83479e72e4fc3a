"""One weighted term of a keyword query."""

from dataclasses import dataclass


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
