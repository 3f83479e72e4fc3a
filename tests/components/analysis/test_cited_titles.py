"""Titles of documents in running text."""

import pytest

from components.analysis.cited_titles import cited_titles, title_id


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Guidance for Jars and Their Lids", "frtitle:guidance-for-jars-and-their-lids"),
        ("GUIDANCE FOR JARS AND THEIR LIDS.", "frtitle:guidance-for-jars-and-their-lids"),
        ("Guidance for Lid‐Closed Jars’ Rims", "frtitle:guidance-for-lid-closed-jars-rims"),
        ("2031 Update: Jars, Lids", "frtitle:2031-update-jars-lids"),
        ("Patent Fees Notice", ""),
        ("", ""),
    ],
)
def test_one_identifier_for_a_title(title: str, expected: str) -> None:
    assert title_id(title) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # In quotation marks, in any case.
        ('The notice "2031 update: jars, lids and rims," is superseded.', ["2031-update-jars-lids-and-rims"]),
        ("It ends with “jars and their new lids”", ["jars-and-their-new-lids"]),
        # Runs of capitalised words; a sentence's first word and what follows may be no part of the title.
        ("it rescinds Guidance for Lidded Jars and replaces it", ["guidance-for-lidded-jars"]),
        (
            "The Guidance for Lid-Closed Jars is old",
            ["the-guidance-for-lid-closed-jars", "guidance-for-lid-closed-jars"],
        ),
        (
            "the New Guidance for Jars of March is old",
            ["new-guidance-for-jars-of-march", "new-guidance-for-jars", "guidance-for-jars-of-march"],
        ),
        (
            "our Guidance for Old Jars; our Guidance for New Jars.",
            ["guidance-for-old-jars", "guidance-for-new-jars"],
        ),
        ("the Office, Alexandria, Virginia", []),
        ("these are a few words of no title", []),
        ('a jar of 5" by 6" or 7 inches', []),
        ("", []),
    ],
)
def test_titles_in_a_text(text: str, expected: list[str]) -> None:
    assert cited_titles(text) == [f"frtitle:{name}" for name in expected]


@pytest.mark.parametrize("run", ['"', "“A ", "A ", "a", "A-"])
def test_long_runs_take_linear_time(run: str) -> None:
    assert len(cited_titles(run * 30_000)) <= 2
