"""Sentence ends in legal prose."""

import pytest

from components.splitters.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("See Ex parte Doe (Fed. Cir. 1999). Then appeal.", ["See Ex parte Doe (Fed. Cir. 1999).", "Then appeal."]),
        ("Under 35 U.S.C. 112 it fails. Amend it.", ["Under 35 U.S.C. 112 it fails.", "Amend it."]),
        ("See 37 C.F.R. 1.75. It says so.", ["See 37 C.F.R. 1.75.", "It says so."]),
        ("As Mr. A. Smith of Jar Co. Ltd. Held", ["As Mr. A. Smith of Jar Co. Ltd. Held"]),
        ("The jar, e.g. Tall ones, i.e. Large ones.", ["The jar, e.g. Tall ones, i.e. Large ones."]),
        ("Doe v. Roe, 12 F.3d. 14 governs.", ["Doe v. Roe, 12 F.3d. 14 governs."]),
        ("A jar; A lid: The rest.", ["A jar;", "A lid:", "The rest."]),
        ("a jar; a lid: the rest.", ["a jar; a lid: the rest."]),
        ("He said “No.” Then he left.", ["He said “No.”", "Then he left."]),
        ("It ends. (See below.) [Next] one.", ["It ends.", "(See below.)", "[Next] one."]),
        ("First line\nsecond line\n\nthird", ["First line", "second line", "third"]),
        ("See Fig.\nA new line", ["See Fig.", "A new line"]),
        ("Value 1.5 is kept. 2 is not.", ["Value 1.5 is kept.", "2 is not."]),
        ("文一。文二。", ["文一。", "文二。"]),
        ("  padded.  Text  ", ["padded.", "Text"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences
