"""Headings in the appendices: ids, printed numbers, titles, citations, and texts that later law replaced."""

import pytest

from components.converters.appendix_headings import COLLECTIONS, Provision, collection_of_title, read_provision, slug


@pytest.mark.parametrize(
    ("letter", "text", "expected"),
    [
        ("L", "35 U.S.C. 981 Jars in general.", Provision("35USC-981", "981", "Jars in general", "35 U.S.C. 981")),
        (
            "L",
            "35\u00a0 U.S.C.\u00a0981 (pre-AIA)\u00a0Jars.",
            Provision("35USC-981-preAIA", "981", "Jars", "35 U.S.C. 981 (pre-AIA)", "pre-AIA"),
        ),
        (
            "L",
            "35 U.S.C. 981 (pre-AIA Jars",
            Provision("35USC-981-preAIA", "981", "Jars", "35 U.S.C. 981 (pre-AIA)", "pre-AIA"),
        ),
        ("L", "35 U.S.C. 981 (note) Jars.", Provision("35USC-981-note", "981", "Jars", "35 U.S.C. 981 (note)", "note")),
        ("L", "35 U.S.C. 981A [Repealed.]", Provision("35USC-981A", "981A", "[Repealed.]", "35 U.S.C. 981A")),
        ("L", "18 U.S.C. 981 False jars.", Provision("18USC-981", "18 U.S.C. 981", "False jars", "18 U.S.C. 981")),
        ("L", "AIA § 99 —Jars of others", Provision("AIA-99", "AIA § 99", "Jars of others", "AIA 99")),
        ("L", "INDEX OF JARS", Provision("35USC-INDEX-OF-JARS", "INDEX OF JARS", "", "35 U.S.C. INDEX OF JARS")),
        ("R", "1.901 Count of jars.", Provision("37CFR-1.901", "1.901", "Count of jars", "37 CFR 1.901")),
        ("R", "§ 1.901 Count of jars.", Provision("37CFR-1.901", "1.901", "Count of jars", "37 CFR 1.901")),
        (
            "R",
            "1.901 (2012-09-16 thru 2013-03-15) Jars.",
            Provision(
                "37CFR-1.901-2012-09-16-thru-2013-03-15",
                "1.901",
                "Jars",
                "37 CFR 1.901 (2012-09-16 thru 2013-03-15)",
                "2012-09-16 thru 2013-03-15",
            ),
        ),
        ("T", "Article 98 - Union of Jars", Provision("PCT-Art-98", "Article 98", "Union of Jars", "PCT Article 98")),
        ("T", "Rule 97 bis Jars", Provision("PCT-Rule-97bis", "Rule 97bis", "Jars", "PCT Rule 97bis")),
        ("T", "97 bis.1 Lids", Provision("PCT-Rule-97bis.1", "97bis.1", "Lids", "PCT Rule 97bis.1")),
        ("T", "97.3 bis Lids", Provision("PCT-Rule-97.3bis", "97.3bis", "Lids", "PCT Rule 97.3bis")),
        ("T", "97.1ter “Lids”", Provision("PCT-Rule-97.1ter", "97.1ter", "“Lids”", "PCT Rule 97.1ter")),
        (
            "T",
            "97.4, 97.5 and 97.6 [Deleted]",
            Provision(
                "PCT-Rule-97.4-97.5-and-97.6", "97.4, 97.5 and 97.6", "[Deleted]", "PCT Rule 97.4, 97.5 and 97.6"
            ),
        ),
        ("T", "PCT INDEX", Provision("PCT-PCT-INDEX", "PCT INDEX", "", "PCT INDEX")),
        (
            "AI",
            "Section 901 Jars",
            Provision("PCT-AI-901", "Section 901", "Jars", "PCT Administrative Instructions Section 901"),
        ),
        (
            "P",
            "Article 97 quinquies - [Jars]",
            Provision("PARIS-Art-97quinquies", "Article 97quinquies", "[Jars]", "Paris Convention Article 97quinquies"),
        ),
    ],
)
def test_read_provision(letter: str, text: str, expected: Provision) -> None:
    assert read_provision(text, COLLECTIONS[letter]) == expected


def test_pre_aia() -> None:
    assert read_provision("1.901 (pre-AIA) Jars", COLLECTIONS["R"]).pre_aia
    assert not read_provision("1.901 (pre-2012-09-17) Jars", COLLECTIONS["R"]).pre_aia


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Appendix L - Patent Laws", "L"),
        ("Appendix AI - Instructions", "AI"),
        ("Appendix II - Decisions", None),
        ("Chapter 100", None),
        ("", None),
    ],
)
def test_collection_of_title(text: str, letter: str | None) -> None:
    assert collection_of_title(text) is (COLLECTIONS[letter] if letter else None)


def test_slug() -> None:
    assert slug(" Schedule of Fees, new ") == "Schedule-of-Fees-new"
