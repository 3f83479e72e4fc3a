"""What a link in the manual's HTML cites, said in words where the link text alone doesn't say it."""

import re

_COLLECTIONS = (
    (re.compile(r"mpep-9015-appx-l"), "usc"),
    (re.compile(r"mpep-9020-appx-r"), "cfr"),
    (re.compile(r"mpep-9025-appx-t"), "pct"),
    (re.compile(r"mpep-9035-appx-p"), "paris"),
    (re.compile(r"s\d{3,4}"), "mpep"),
)
_SUB = r"(?:\s?\(\w{1,5}\))*"
_NAMED = re.compile(r"U\.?\s?S\.?\s?C|C\.?F\.?R|MPEP|PCT|Paris|AIA §|A\.I\.", re.IGNORECASE)
_SECTION = re.compile(rf"(pre-AIA\s+)?(?:(?:sections?|secs?\.|§+)\s*)?(\d{{1,4}}[A-Z]?{_SUB})\W*", re.IGNORECASE)
_RULE = re.compile(rf"()(?:(?:sections?|secs?\.|rules?)\s*)?(\d{{1,3}}\.\d{{1,4}}{_SUB})\W*", re.IGNORECASE)
_MANUAL = re.compile(rf"()(?:(?:sections?|secs?\.|§+)\s*)?(\d{{3,4}}(?:\.\d{{1,2}})?{_SUB})\W*", re.IGNORECASE)
_TREATY = re.compile(
    rf"(rules?|art(?:icles?|s?\.))\s+(\d{{1,3}}(?:\s?(?:bis|ter|quater))?(?:\s?\.\d{{1,2}})?{_SUB})\W*", re.IGNORECASE
)
# The citation that a list goes on with: "35 U.S.C. 102 and " before a link "103".
_LIST = (
    r"(?:[\s,;/§()\[\]–—-]|\b(?:and|or|to|through|Rules?|Art(?:icles?|s?\.)|sections?|bis|ter|quater|pre-AIA|AIA|et|seq\.?)"
    r"|\(?\b\w{1,5}\)|[\d.]+)*\Z"
)
_HEADS = r"U\.?\s?S\.?\s?C\.?\]?|C\.?\s?F\.?\s?R\.?|MPEP|PCT|Convention"
_OPEN_LIST = re.compile(f"(?:{_HEADS}){_LIST}", re.IGNORECASE)
# A number of the form of a rule's behind "§" is read as a rule anyway.
_OPEN_RULES = re.compile(f"(?:{_HEADS}|§){_LIST}", re.IGNORECASE)


def collection_of(href: str) -> str:
    """
    The collection that a link leads to.

    ```python
    collection_of("mpep-9015-appx-l.html#d1")  # "usc"
    ```

    :param href: The link's target, relative to the manual's folder.
    :returns: "usc", "cfr", "pct", "paris" or "mpep"; empty for anything else.
    """
    page = href.partition("#")[0]
    return next((name for pattern, name in _COLLECTIONS if pattern.match(page)), "")


def citation_note(href: str, text: str, before: str, own: str) -> str:
    """
    The citation to put behind a link's text, where a reader of the plain text couldn't tell what is cited.

    ```python
    citation_note("mpep-9015-appx-l.html#d1", "section 181", "as provided in ", "mpep")  # "35 U.S.C. 181"
    citation_note("mpep-9015-appx-l.html#d1", "103", "35 U.S.C. 102 and ", "mpep")  # "", the list says it
    ```

    Only the link itself is looked at, never other pages, so a page reads the same whatever is read with it.

    :param href: The link's target.
    :param text: The link's text.
    :param before: The text before it in the same paragraph.
    :param own: The collection that the page itself belongs to: within it, "section 102" needs no explanation.
    :returns: The citation, or an empty string.
    """
    collection = collection_of(href)
    if not collection or collection == own or _NAMED.search(text):
        return ""
    note = _citation(collection, text)
    going_on = _OPEN_RULES if collection == "cfr" else _OPEN_LIST
    return "" if not note or going_on.search(" ".join(before.split())[-160:]) else note


def _citation(collection: str, text: str) -> str:
    if collection in ("pct", "paris"):
        match = _TREATY.fullmatch(text)
        if not match:
            return ""
        kind = "Rule" if match.group(1)[0] in "rR" else "Article"
        head = "PCT" if collection == "pct" else "Paris Convention"
        return f"{head} {kind} {_solid(match.group(2))}"
    head, pattern = {"usc": ("35 U.S.C.", _SECTION), "cfr": ("37 CFR", _RULE), "mpep": ("MPEP §", _MANUAL)}[collection]
    match = pattern.fullmatch(text)
    return f"{'pre-AIA ' if match.group(1) else ''}{head} {_solid(match.group(2))}" if match else ""


def _solid(number: str) -> str:
    return "".join(number.split())
