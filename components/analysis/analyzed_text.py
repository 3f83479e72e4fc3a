"""What analysis makes of a text: tokens with offsets, identifiers and quoted phrases."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Token(NamedTuple):
    """One index term and the characters `start:end` of the original text that it stands for."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Identifier:
    """
    Something with a number of its own that must be found exactly: a section, statute, rule, project or document.

    :param kind: The scheme: "mpep", "usc", "cfr", "form_paragraph", "fr", "number" (a bare section number), ...
    :param canonical: The one spelling used in indexes, for example "mpep:608.01(o)" or "usc:35:112(b)".
    :param start: First character in the original text.
    :param end: One past the last character.
    """

    kind: str
    canonical: str
    start: int
    end: int


@dataclass(frozen=True)
class AnalyzedText:
    """
    A text, analysed once for all stores. Never mutated, so that pipelines hand it on without copying it.

    :param text: The original text; all offsets point into it.
    :param language: "en", "ja", "ko" or "mixed".
    :param tokens: Token streams by index field, for example "words", "stems", "phrase".
    :param identifiers: What was protected before normalisation, in order of appearance.
    :param phrases: Quoted phrases, each a sequence of terms of the field "words".
    """

    text: str
    language: str
    tokens: dict[str, tuple[Token, ...]] = field(default_factory=dict)
    identifiers: tuple[Identifier, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()

    def terms(self, name: str) -> list[str]:
        """The terms of one token stream, in order; empty for an unknown stream."""
        return [token.term for token in self.tokens.get(name, ())]

    def __deepcopy__(self, memo: dict[int, Any]) -> "AnalyzedText":
        return self
