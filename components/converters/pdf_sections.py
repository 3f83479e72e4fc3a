"""Finds the manual's sections among the paragraphs of a PDF, and fills them with blocks."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from components.converters.mpep_chapters import chapter_of
from components.converters.pdf_blocks import PdfSection, SectionFiller
from components.converters.pdf_hyphens import Vocabulary
from components.converters.pdf_paragraphs import Paragraph

_NUMBER = r"\d{3,4}(?:\.\d{1,2})?(?:\([a-z]{1,3}\)|\(\d{1,2}\))*"
_TITLE = re.compile(
    rf"(?P<number>{_NUMBER}(?:\s*[-–—]\s*{_NUMBER})?)\s+(?P<title>(?:[^\W\d_]|[\[(“\"]|\d\d (?:U\.S\.C|CFR)).*)"
)
_REVISION = re.compile(r"\s*\[\s*(R-[\d.]*)\s*\]")
_RESERVED = re.compile(r"\[\s*Reserved\s*\]", re.IGNORECASE)
_PARTS = re.compile(r"\d+|[a-z]+")
_CHAPTER = re.compile(r"Chapter (?P<number>\d{3,4})\b\s*(?P<title>.*)", re.IGNORECASE)
_MANUAL = re.compile(r"\bM\.?P\.?E\.?P\b|Manual of Patent Examining Procedure", re.IGNORECASE)


@dataclass(slots=True)
class _Heading:
    number: str
    title: str
    revision: str
    certain: bool


def sections_of(paragraphs: Sequence[Paragraph], vocabulary: Vocabulary) -> list[PdfSection]:
    """
    Find the sections of a chapter.

    A heading begins with a section number and is bold or larger than the text. With a revision mark or "[Reserved]" it
    is certain; one without must fit into the order of those around it, so that a bold reference doesn't begin a
    section. What stands before the first heading, such as the table of contents, belongs to none.

    :param paragraphs: The document.
    :param vocabulary: Its words.
    :returns: Sections in order; none if the document isn't of the manual.
    """
    texts = [paragraph.text(vocabulary) for paragraph in paragraphs]
    body = body_size(paragraphs)
    headings = _headings(paragraphs, texts, body)
    if not headings:
        return []
    if not any(heading.revision for heading in headings.values()) and not any(_MANUAL.search(text) for text in texts):
        return []
    sections: list[PdfSection] = []
    filler: SectionFiller | None = None
    chapter = ""
    skip = -1
    for index, (paragraph, text) in enumerate(zip(paragraphs, texts, strict=True)):
        if index <= skip:
            continue
        if index in headings:
            heading = headings[index]
            above = _above(heading.number, sections)
            section = PdfSection(heading.number, heading.title, heading.revision, above=above)
            section.chapter = chapter if chapter.startswith(f"Chapter {chapter_of(heading.number)} ") else ""
            sections.append(section)
            if filler:
                filler.finish()
            filler = SectionFiller(section)
        elif paragraph.bold and paragraph.size > body * 1.1 and (match := _CHAPTER.match(text)):
            chapter, skip = _chapter_title(match, index, paragraphs, texts)
            if filler:
                filler.finish()
            filler = None
        elif filler:
            filler.add(paragraph, text)
    if filler:
        filler.finish()
    return _without_repeats(sections)


def body_size(paragraphs: Sequence[Paragraph]) -> float:
    """The type size that most letters have, in points; 0 where there are none."""
    sizes: Counter[float] = Counter()
    for paragraph in paragraphs:
        for line in paragraph.lines:
            sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _headings(paragraphs: Sequence[Paragraph], texts: Sequence[str], body: float) -> dict[int, _Heading]:
    found: dict[int, _Heading] = {}
    for index, (paragraph, text) in enumerate(zip(paragraphs, texts, strict=True)):
        match = _TITLE.fullmatch(text)
        if match and (paragraph.bold or paragraph.size > body * 1.08):
            revision = _REVISION.search(match["title"])
            mark = revision[1] if revision and revision[1] != "R-" else ""
            found[index] = _Heading(
                match["number"],
                _REVISION.sub("", match["title"]).strip(),
                mark,
                bool(revision or _RESERVED.search(match["title"])),
            )
    if not any(heading.certain for heading in found.values()):
        chapters = Counter(chapter_of(heading.number) for heading in found.values())
        usual = chapters.most_common(1)[0][0] if chapters else ""
        return {index: heading for index, heading in found.items() if chapter_of(heading.number) == usual}
    kept: dict[int, _Heading] = {}
    order = list(found.items())
    for place, (index, heading) in enumerate(order):
        following = next((other for _, other in order[place + 1 :] if other.certain), None)
        before = next(reversed(kept.values()), None)
        if heading.certain or _fits(heading.number, before, following):
            kept[index] = heading
    return kept


def _fits(number: str, before: _Heading | None, following: _Heading | None) -> bool:
    """Whether a number lies between those around it, as far as they are of its chapter."""
    chapter, key = chapter_of(number), _key(number)
    low = _key(before.number) if before and chapter_of(before.number) == chapter else None
    high = _key(following.number) if following and chapter_of(following.number) == chapter else None
    if low and high and low < high:
        return low < key < high
    return low < key if low else before is None and high is not None and key < high


def _key(number: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts 608.01(b) before 608.01(o), and that before 608.02; (z) before (aa)."""
    first = re.split(r"\s*[-–—]\s*", number)[0]
    return tuple((0, int(part), "") if part.isdigit() else (1, len(part), part) for part in _PARTS.findall(first))


def _chapter_title(
    match: re.Match[str], index: int, paragraphs: Sequence[Paragraph], texts: Sequence[str]
) -> tuple[str, int]:
    """The title may follow its number on lines of their own, in the same type."""
    parts = [match["title"]] if match["title"] else []
    last = index
    while not parts or (last > index and last + 1 < len(paragraphs)):
        if last + 1 >= len(paragraphs) or abs(paragraphs[last + 1].size - paragraphs[index].size) > 0.6:
            break
        last += 1
        parts.append(texts[last])
    return " ".join(["Chapter", match["number"].lstrip("0"), *parts]), last


def _above(number: str, sections: Sequence[PdfSection]) -> list[str]:
    """The sections that this one is part of: 608, 608.01 for 608.01(o)."""
    key = _key(number)
    names = {_key(section.number): section.name for section in sections}
    return [names[key[:length]] for length in range(1, len(key)) if key[:length] in names]


def _without_repeats(sections: list[PdfSection]) -> list[PdfSection]:
    """A table of contents in bold gives every heading twice; the one with text is meant."""
    best: dict[str, PdfSection] = {}
    for section in sections:
        other = best.get(section.number)
        if other is None or len(section.text.content) > len(other.text.content):
            best[section.number] = section
    return [section for section in sections if best[section.number] is section]
