"""The frame of a question that says nothing of its topic: "Where is the section concerning ..."."""

import re

_FRAME = re.compile(
    r"^\W*(?:where|what|which)\s+(?:is|are)\s+(?:the\s+)?(?:main\s+|general\s+|specific\s+)?(?:mpep\s+)?"
    r"(?:section|chapter|part|provision|passage|statute|rule)s?\s+"
    r"(?:(?:\w+ing(?:\s+(?:to|with))?|for|on|about|of|that|which|with)\s+)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 1


def frame_length(query: str) -> int:
    """
    How many characters at a query's beginning are only a frame; 0 when nothing would be left behind it.

    >>> query = "Where is the section concerning new matter?"
    >>> query[frame_length(query) :]
    'new matter?'

    :param query: A query as typed.
    :returns: The length of the frame, with the blanks behind it.
    """
    match = _FRAME.match(query)
    if not match or len(re.findall(r"\w+", query[match.end() :])) < _FEWEST_WORDS:
        return 0
    return match.end()
