"""Titles of documents that a text names: in quotation marks, or as words in capitals."""

import re
from collections.abc import Iterator

from components.analysis.folding import fold

_FEWEST_WORDS, _MOST_WORDS, _LONGEST_TITLE = 4, 50, 300
_QUOTED = re.compile(rf'["“]([^"“”]{{1,{_LONGEST_TITLE}}})["”]')
_WORD = re.compile(r"[^\W_]+(?:[-‐‑'’/.][^\W_]+)*")
_SMALL = frozenset("a an and as at by for from in of on or the to under with".split())  # noqa: SIM905


def title_id(title: str) -> str:
    """
    The identifier of the document with a title.

    >>> title_id("Inventorship Guidance for AI-Assisted Inventions")
    'frtitle:inventorship-guidance-for-ai-assisted-inventions'

    :param title: The title, in any case and punctuation.
    :returns: Its identifier; "" for a title of fewer than four words, which many texts hold by chance.
    """
    words = re.findall(r"[^\W_]+", fold(title).text.replace("'", ""))
    return f"frtitle:{'-'.join(words)}" if len(words) >= _FEWEST_WORDS else ""


def cited_titles(text: str) -> list[str]:
    """
    The identifiers of all titles that a text may name: what stands in quotation marks, and runs of capitalised words
    with small words between them, also without the first word and up to each small word, where other words adjoin.

    >>> cited_titles("It rescinds the Inventorship Guidance for AI-Assisted Inventions and replaces it.")[0]
    'frtitle:inventorship-guidance-for-ai-assisted-inventions'

    :param text: A text.
    :returns: Identifiers in order, each once. Most are of no document.
    """
    quoted = [match.group(1) for match in _QUOTED.finditer(text)]
    runs = [title for run in _capitalised(text) for title in _parts(run)]
    return list(dict.fromkeys(name for title in [*quoted, *runs] if (name := title_id(title))))


def _capitalised(text: str) -> Iterator[list[str]]:
    run: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match.group()
        is_joined = text[end : match.start()].isspace() and len(run) < _MOST_WORDS
        if run and (not is_joined or (word[0].islower() and word not in _SMALL)):
            yield run
            run = []
        if run or not word[0].islower():
            run.append(word)
        end = match.end()
    yield run


def _parts(run: list[str]) -> Iterator[str]:
    ends = [place for place in range(1, len(run)) if run[place] in _SMALL and run[place - 1] not in _SMALL]
    if run and run[-1] not in _SMALL:
        ends.append(len(run))
    for start in (0, 1):
        for end in reversed(ends):
            yield " ".join(run[start:end])
