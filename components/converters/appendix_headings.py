"""Headings in the manual's appendices: which provision a heading opens, and how that provision is called."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from components.converters.record import clean

_ORDINAL = r"(?:bis|ter|quater|quinquies|sexies|septies)"
# "(pre-AIA)", "(note)", "(2012-09-16 thru 2013-03-15)"; some headings lack the closing bracket.
_VARIANT = r"(?:\((?P<variant>[^()]*)\)\s*|\((?P<unclosed>pre-AIA)\s+)?"
_STATUTE = re.compile(rf"(?P<title>\d+)\s*U\.S\.C\.\s*(?P<number>\d+[A-Z]?)\s*{_VARIANT}(?P<name>.*)", re.DOTALL)
_ACT = re.compile(r"AIA\s*§\s*(?P<number>\d+)\s*(?P<name>.*)", re.DOTALL)
_RULE = re.compile(rf"(?:§\s*)?(?P<number>\d+\.\d+[a-z]?)\s*{_VARIANT}(?P<name>.*)", re.DOTALL)
_ARTICLE = re.compile(rf"Article\s+(?P<number>\d+(?:\s*{_ORDINAL})?)\s*(?P<name>.*)", re.DOTALL)
_PCT_RULE = re.compile(rf"Rule\s+(?P<number>\d+(?:\s*{_ORDINAL})?)\s*(?P<name>.*)", re.DOTALL)
_PCT_SUBRULE_NUMBER = rf"\d+(?:\s*{_ORDINAL})?\s*\.\s*\d+(?:\s*{_ORDINAL})?"
_PCT_SUBRULE = re.compile(
    rf"(?P<number>{_PCT_SUBRULE_NUMBER}(?:(?:,\s*(?:and\s+)?|\s+and\s+){_PCT_SUBRULE_NUMBER})*)\.?\s*(?P<name>.*)",
    re.DOTALL,
)
_INSTRUCTION = re.compile(rf"Section\s+(?P<number>\d+(?:\s*{_ORDINAL})?)\.?\s*(?P<name>.*)", re.DOTALL)
_SOLID = re.compile(rf"(?<=\d)\s+(?={_ORDINAL})|\s+(?=\.\s*\d)|(?<=\.)\s+(?=\d)")
_APPENDIX = re.compile(r"Appendix\s+(AI|[LRTP])\b")


@dataclass(frozen=True)
class Provision:
    """
    One provision: an article, a statute, a rule.

    :param source_id: Its id in the corpus, "35USC-112-preAIA".
    :param section: Its number as printed, "112".
    :param title: Its title without the number.
    :param label: How it is cited, "35 U.S.C. 112 (pre-AIA)".
    :param variant: What the heading says in brackets about the text, "pre-AIA", "note"; empty for the law in force.
    """

    source_id: str
    section: str
    title: str
    label: str
    variant: str = ""

    @property
    def pre_aia(self) -> bool:
        """Whether it is printed as the text before the America Invents Act."""
        return self.variant.lower() == "pre-aia"


@dataclass(frozen=True)
class Collection:
    """
    What an appendix reprints.

    :param letter: The appendix: L, R, T, AI or P.
    :param name: The first step of its breadcrumbs, "35 U.S.C.".
    :param source: The source its records belong to.
    :param prefix: What ids begin with that no pattern makes.
    :param links: The collection that a link inside it leads to without a further word, as in `html_links`.
    """

    letter: str
    name: str
    source: str
    prefix: str
    links: str


COLLECTIONS = {
    "L": Collection("L", "35 U.S.C.", "35_USC", "35USC", "usc"),
    "R": Collection("R", "37 CFR", "37_CFR", "37CFR", "cfr"),
    "T": Collection("T", "PCT", "MPEP", "PCT", "pct"),
    "AI": Collection("AI", "PCT Administrative Instructions", "MPEP", "PCT-AI", "pct"),
    "P": Collection("P", "Paris Convention", "MPEP", "PARIS", "paris"),
}


def collection_of_title(text: str) -> Collection | None:
    """
    The collection that a page's heading names.

    ```python
    collection_of_title("Appendix L - Patent Laws").name  # "35 U.S.C."
    ```

    :param text: The page's heading.
    :returns: The collection; None for other headings.
    """
    match = _APPENDIX.search(text)
    return COLLECTIONS[match[1]] if match else None


def read_provision(text: str, collection: Collection) -> Provision:
    """
    Read the heading of a provision.

    Texts that another text replaced keep what the heading says in brackets: "(pre-AIA)" gives the id suffix "-preAIA",
    "(note)" gives "-note", a period gives "-2012-09-16-thru-2013-03-15". A heading without a number, such as that of an
    index, is its own number.

    ```python
    read_provision("35 U.S.C. 100 (note) First inventor to file.", COLLECTIONS["L"]).source_id  # "35USC-100-note"
    ```

    :param text: The heading, on one line.
    :param collection: The appendix it stands in.
    :returns: What it opens.
    """
    text = clean(text)
    for pattern, make in _HEADINGS[collection.letter]:
        if match := pattern.match(text):
            return make(match)
    return unnumbered(text, collection)


def unnumbered(name: str, collection: Collection) -> Provision:
    """
    A text that has a heading but no number: a preamble, a schedule of fees, an index.

    :param name: The heading.
    :param collection: The appendix it stands in.
    :returns: What it opens, with the heading as its number.
    """
    label = name if name.startswith(collection.name) else f"{collection.name} {name}"
    return Provision(f"{collection.prefix}-{slug(name)}", name, "", label)


def slug(text: str) -> str:
    """
    Text as part of an id.

    ```python
    slug("2012-09-16 thru 2013-03-15")  # "2012-09-16-thru-2013-03-15"
    ```

    :param text: Any text.
    :returns: Letters, digits, dots and hyphens.
    """
    return re.sub(r"[^\w.()]+", "-", text).strip("-")


def _statute(match: re.Match[str]) -> Provision:
    title = match["title"]
    head = f"{title} U.S.C."
    return _with_variant(match, f"{title}USC", head, match["number"] if title == "35" else f"{head} {match['number']}")


def _rule(match: re.Match[str]) -> Provision:
    return _with_variant(match, "37CFR", "37 CFR", match["number"])


def _act(match: re.Match[str]) -> Provision:
    number = match["number"]
    # Cited without "§", which would make it the section of title 35 with the same number.
    return Provision(f"AIA-{number}", f"AIA § {number}", _title(match["name"]), f"AIA {number}")


def _with_variant(match: re.Match[str], prefix: str, head: str, section: str) -> Provision:
    variant = clean(match["variant"] or match["unclosed"] or "")
    suffix = f"-{slug(variant.replace('pre-AIA', 'preAIA'))}" if variant else ""
    label = f"{head} {match['number']}{f' ({variant})' if variant else ''}"
    return Provision(f"{prefix}-{match['number']}{suffix}", section, _title(match["name"]), label, variant)


def _treaty(prefix: str, head: str, word: str) -> Callable[[re.Match[str]], Provision]:
    def make(match: re.Match[str]) -> Provision:
        number = _SOLID.sub("", clean(match["number"]))
        section = f"{word} {number}".strip()
        return Provision(f"{prefix}-{slug(number)}", section, _title(match["name"]), f"{head} {number}")

    return make


def _title(text: str) -> str:
    return clean(text).lstrip("-–— ").removesuffix(".")


_HEADINGS: dict[str, list[tuple[re.Pattern[str], Callable[[re.Match[str]], Provision]]]] = {
    "L": [(_STATUTE, _statute), (_ACT, _act)],
    "R": [(_RULE, _rule)],
    "T": [
        (_ARTICLE, _treaty("PCT-Art", "PCT Article", "Article")),
        (_PCT_RULE, _treaty("PCT-Rule", "PCT Rule", "Rule")),
        (_PCT_SUBRULE, _treaty("PCT-Rule", "PCT Rule", "")),
    ],
    "AI": [(_INSTRUCTION, _treaty("PCT-AI", "PCT Administrative Instructions Section", "Section"))],
    "P": [(_ARTICLE, _treaty("PARIS-Art", "Paris Convention Article", "Article"))],
}
