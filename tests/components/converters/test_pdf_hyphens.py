import pytest

from components.converters.pdf_hyphens import Vocabulary, join_lines

# "inven-/tion" and "applica-/tion" are clear signs that the document's typesetting breaks words.
TYPESET = [
    "An invention is made by an inventor. The applicant files an application,",
    "a non-obvious, computer-implemented inven-",
    "tion which the applica-",
    "tion shows in a non-final, means-plus-function way; nonfunctional descriptive material",
    "is read by the office; a first-inventor-to-file rule and pre-AIA law",
]
PLAIN = ["The nonobvious invention is a non-", "obvious one, by pre-AIA law.", *(8 * ["It is pre-", "AIA law."])]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("inven-", "tion", "invention"),
        ("appli-", "cant.", "applicant."),
        ("non-", "obvious", "non-obvious"),
        ("non-", "functional", "nonfunctional"),
        ("pre-", "AIA", "pre-AIA"),
        ("means-plus-", "function", "means-plus-function"),
        ("first-", "inventor-to-file", "first-inventor-to-file"),
        # Never seen whole: both parts are words, so the hyphen is the author's.
        ("office-", "file", "office-file"),
        # Never seen whole: a part is no word, so the hyphen is the typesetter's.
        ("dis-", "claimer", "disclaimer"),
        ("semi-", "conductor", "semi-conductor"),
        ("[R-", "07.2015]", "[R-07.2015]"),
        ("2106-", "2107", "2106-2107"),
        ("inven\u00ad", "tion", "invention"),
    ],
)
def test_words_are_joined_as_the_document_writes_them(before: str, after: str, expected: str) -> None:
    assert Vocabulary(TYPESET).join(before, after) == expected


def test_a_document_without_broken_words_keeps_every_hyphen() -> None:
    vocabulary = Vocabulary(PLAIN)
    assert vocabulary.join("non-", "obvious") == "non-obvious"
    assert vocabulary.join("ill-", "considered") == "ill-considered"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["An inven-", "tion is made."], "An invention is made."),
        (["claims and/", "or drawings"], "claims and/or drawings"),
        (["a range – here", "it ends"], "a range – here it ends"),
        (["under section 102(a)", "(2) of title 35"], "under section 102(a)(2) of title 35"),
        (["under pre-AIA 35 U.S.C. 103(a)", "(see the note)"], "under pre-AIA 35 U.S.C. 103(a) (see the note)"),
        (["insert --", "inventor-- here"], "insert --inventor-- here"),
        (["insert --inventor-", "- here"], "insert --inventor-- here"),
        (["means- or step-", "(or act-) language"], "means- or step- (or act-) language"),
        (["the tri-", "and tetra-esters"], "the tri- and tetra-esters"),
        (["universal", "—and sensible"], "universal—and sensible"),
        (["see www.uspto.gov/patents", "/law and"], "see www.uspto.gov/patents/law and"),
        (["a claim element--the", "word"], "a claim element--the word"),
        (["a claim element--", "the word"], "a claim element--the word"),
        (["37 CFR 1.105 , see", "there"], "37 CFR 1.105, see there"),
        (["pre\u2010AIA law"], "pre-AIA law"),
    ],
)
def test_lines_become_one_text(lines: list[str], expected: str) -> None:
    assert join_lines(lines, Vocabulary(TYPESET)) == expected
