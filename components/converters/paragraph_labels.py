"""Where a paragraph of a rule stands in its section: flat "(a)", "(1)", "(i)" prefixes made into "(a)(1)(i)"."""

import re

_LABEL = re.compile(r"\(([a-z]{1,4}|[A-Z]{1,2}|\d{1,3})\)\s*")
_LEAD = re.compile(r"[^().]{1,120}[.—–]\s*(?=\()")
_ROMAN = [
    "",
    "i",
    "ii",
    "iii",
    "iv",
    "v",
    "vi",
    "vii",
    "viii",
    "ix",
    "x",
    "xi",
    "xii",
    "xiii",
    "xiv",
    "xv",
    "xvi",
    "xvii",
]
_ROMAN += ["xviii", "xix", "xx", "xxi", "xxii", "xxiii", "xxiv", "xxv", "xxvi", "xxvii", "xxviii", "xxix", "xxx"]
_LEVELS = ("alpha", "digit", "roman", "ALPHA", "digit", "roman")


class ParagraphLabels:
    """
    Follows the numbering of one section, whose paragraphs the Code of Federal Regulations prints without nesting.

    "(i)" after "(h)" is the letter, "(i)" below "(1)" the Roman number: a label that goes on with a level that is open
    beats one that opens a level, except that the first label of the level just below is taken as such.

    ```python
    labels = ParagraphLabels()
    [labels.next(p) for p in ("(a) One.", "(1) Two.", "(i) Three.", "(b) Four.")]
    # ["(a)", "(a)(1)", "(a)(1)(i)", "(b)"]
    ```
    """

    def __init__(self) -> None:
        self._open: list[str] = []
        # A section without letters starts with "(1)": its levels are the same, from the second one on.
        self._first = 0

    @property
    def current(self) -> str:
        """The label of the paragraph read last."""
        return "".join(f"({token})" for token in self._open)

    def next(self, text: str) -> str:
        """
        Read the next paragraph.

        :param text: The paragraph, from its first character.
        :returns: Its whole label; a paragraph without a number continues the one before, so it gets its label.
        """
        position = 0
        while match := _LABEL.match(text, position):
            token = match.group(1)
            # A second number in the same paragraph can only open the next level.
            if not (self._opens(token) if position else self._place(token)):
                break
            position = match.end()
            heading = _LEAD.match(text, position)
            position = heading.end() if heading else position
        return self.current

    def _kind(self, level: int) -> str:
        return _LEVELS[min(self._first + level, len(_LEVELS) - 1)]

    def _place(self, token: str) -> bool:
        depth = len(self._open)
        ranks = [
            (level, _rank(self._kind(level), token), _rank(self._kind(level), self._open[level]))
            for level in range(depth - 1, -1, -1)
        ]
        continued = next((level for level, rank, before in ranks if rank and rank == before + 1), None)
        if continued is None or (continued < depth - 1 and _rank(self._kind(depth), token) == 1):
            if self._opens(token):
                return True
            # Numbers skip where a paragraph was removed: the deepest open level that they still fit.
            continued = next((level for level, rank, before in ranks if rank > before), None)
        if continued is None:
            return False
        self._open[continued:] = [token]
        return True

    def _opens(self, token: str) -> bool:
        if not self._open:
            self._first = 1 if token.isdigit() else 0
            if not _rank(self._kind(0), token):
                return False
        elif _rank(self._kind(len(self._open)), token) != 1:
            return False
        self._open.append(token)
        return True


def _rank(kind: str, token: str) -> int:
    """Where a token stands in the numbering of a level, from 1; 0 if it isn't of that kind."""
    if kind == "digit":
        return int(token) if token.isdigit() else 0
    if kind == "roman":
        return _ROMAN.index(token) if token in _ROMAN[1:] else 0
    if kind == "ALPHA" and not token.isupper():
        return 0
    if kind == "alpha" and not token.islower():
        return 0
    letters = token.lower()
    if not letters.isalpha() or len(set(letters)) != 1:
        return 0
    return ord(letters[0]) - ord("a") + 1 + 26 * (len(letters) - 1)
