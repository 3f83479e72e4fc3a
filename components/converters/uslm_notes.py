"""The notes of a section of the Code: source credit, footnotes and editorial notes, former law marked as such."""

import re

from lxml import etree

from components.converters.record import RecordText, clean
from components.converters.uslm_elements import LEVELS, first_child, iterate, local_name, table_lines, text_of

_FORMER_TEXT = re.compile(r"\b(?:[Pp]rior to (?:amendment|being amended)|to read as follows|read as follows|former )")
_NOTE_START = re.compile(r"(?:\d{4}—|Subsecs?\.|Pars?\.|Subpars?\.|Pub\. L\.|Catchline)")
_AIA_YEAR = 2011


def add_notes(section: etree._Element, text: RecordText) -> None:
    """
    Add the source credit, then the notes: each paragraph is a block under "Notes" and the note's heading.

    :param section: The section's element.
    :param text: What the blocks are added to.
    """
    for credit in section:
        if local_name(credit) == "sourceCredit":
            text.add(clean(text_of(credit)), "note", headings=["Notes", "Source"])
    for footnote in iterate(section, "note"):
        if footnote.get("type") == "footnote":
            text.add(clean(text_of(footnote)), "note", headings=["Notes", "Footnotes"])
    for notes in section:
        if local_name(notes) != "notes":
            continue
        for note in notes:
            if note.get("role") != "crossHeading":
                _note(note, text)


def _note(note: etree._Element, text: RecordText) -> None:
    heading = clean(text_of(first_child(note, "heading"))) or "Note"
    former = False
    year = 0
    for part in _note_paragraphs(note):
        if match := re.match(r"(\d{4})—", part):
            year = int(match.group(1))
        if _NOTE_START.match(part) or _FORMER_TEXT.search(part):
            former = bool(_FORMER_TEXT.search(part)) and note.get("topic") == "amendments"
        headings = ["Notes", heading]
        if former:
            # What was law before an amendment must never pass for the law in force, whatever chunk it lands in.
            headings.append("Former text (pre-AIA)" if year and year <= _AIA_YEAR else "Former text")
        text.add(part, "note", headings=headings)


def _note_paragraphs(note: etree._Element) -> list[str]:
    """The note's text by paragraphs; sections and levels that it quotes from an act are paragraphs too."""
    found: list[str] = []

    def walk(element: etree._Element) -> None:
        words: list[str] = [element.text or ""]

        def flush() -> None:
            if line := clean("".join(words)):
                found.append(line)
            words.clear()

        for child in element:
            name = local_name(child)
            if name == "table":
                flush()
                found.append(table_lines(child))
            elif name in ("p", "quotedContent", "section", "signature") or name in LEVELS:
                flush()
                walk(child)
            elif name == "heading" and element is note:
                pass
            else:
                inner = text_of(child)
                words.append(
                    f" {inner} " if name in ("num", "heading", "chapeau", "content", "continuation") else inner
                )
            words.append(child.tail or "")
        flush()

    walk(note)
    return found
