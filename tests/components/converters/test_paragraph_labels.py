import pytest

from components.converters.paragraph_labels import ParagraphLabels


@pytest.mark.parametrize(
    ("paragraphs", "expected"),
    [
        (["(a) x", "(1) x", "(i) x", "(A) x", "(b) x"], ["(a)", "(a)(1)", "(a)(1)(i)", "(a)(1)(i)(A)", "(b)"]),
        # A heading between two numbers.
        (["(a) In general. (1) x", "(2) x"], ["(a)(1)", "(a)(2)"]),
        (["(a)(1) x", "(2) x"], ["(a)(1)", "(a)(2)"]),
        # (i) after (h) is the letter, below (1) the Roman number, after (h)(1)(i) the letter again.
        (["(h) x", "(i) x", "(j) x"], ["(h)", "(i)", "(j)"]),
        (["(h) x", "(1) x", "(i) x", "(i) x"], ["(h)", "(h)(1)", "(h)(1)(i)", "(i)"]),
        (["(1) x", "(i) x", "(2) x"], ["(1)", "(1)(i)", "(2)"]),
        # Removed paragraphs leave gaps.
        (["(a) x", "(d) x", "(1) x", "(4) x", "(e) x"], ["(a)", "(d)", "(d)(1)", "(d)(4)", "(e)"]),
        (["(y) x", "(z) x", "(aa) x"], ["(y)", "(z)", "(aa)"]),
        (["No number", "(a) x", "goes on", "(b) See (c) of it"], ["", "(a)", "(a)", "(b)"]),
        (["(Reserved) x"], [""]),
    ],
)
def test_labels(paragraphs, expected):
    labels = ParagraphLabels()
    assert [labels.next(paragraph) for paragraph in paragraphs] == expected
