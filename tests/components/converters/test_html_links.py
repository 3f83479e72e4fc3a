"""What links cite: the citation is written out only where the link's text doesn't say it."""

import pytest

from components.converters.html_links import citation_note, collection_of

L, R, T, P = (f"mpep-90{name}.html#d1" for name in ("15-appx-l", "20-appx-r", "25-appx-t", "35-appx-p"))


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        (L, "usc"),
        (R, "cfr"),
        (T, "pct"),
        (P, "paris"),
        ("s608.html#d1", "mpep"),
        ("s304 - 305.html", "mpep"),
        ("#fp7.05", ""),
        ("https://example.com/s608.html", ""),
        ("mpep-0600.html", ""),
        ("mpep-0010-title-page.html#", ""),
    ],
)
def test_collection_of(href: str, expected: str) -> None:
    assert collection_of(href) == expected


@pytest.mark.parametrize(
    ("href", "text", "before", "expected"),
    [
        (L, "section 181", "as provided in ", "35 U.S.C. 181"),
        (L, "Section 112(a)", "", "35 U.S.C. 112(a)"),
        (L, "pre-AIA section 112", "under ", "pre-AIA 35 U.S.C. 112"),
        (L, "103", "obvious under section ", "35 U.S.C. 103"),
        (L, "103", "rejected under 35 U.S.C. 102 and ", ""),
        (L, "103", "rejected under 35\n   U.S.C.   102(a)(1), or ", ""),
        (L, "section 363", "filed under 35 U.S.C. 111(a) or ", ""),
        (L, "35 U.S.C. 103", "under ", ""),
        (L, "chapter 16", "under ", ""),
        (L, "(b)", "35 U.S.C. 102(a) or ", ""),
        (R, "1.131", "as the rule ", "37 CFR 1.131"),
        (R, "1.131(a)", "under § ", ""),
        (R, "§ 1.131", "under ", ""),
        (R, "1.132", "37 CFR 1.131 and ", ""),
        ("s715.html#d1", "§ 715.04", "see ", "MPEP § 715.04"),
        ("s715.html#d1", "715.04", "see MPEP § 715 and § ", ""),
        (T, "Rule 90.1", "as in ", "PCT Rule 90.1"),
        (T, "Rules 13 bis .3 (a)", "under ", "PCT Rule 13bis.3(a)"),
        (T, "Article 19", "amended under ", "PCT Article 19"),
        (T, "Article 19", "amended under PCT ", ""),
        (T, "19", "Articles 18 and ", ""),
        (P, "Article 4", "see ", "Paris Convention Article 4"),
        ("#fp7.05", "7.05", "form paragraph ", ""),
        ("https://example.com", "section 1", "", ""),
    ],
)
def test_citation_note(href: str, text: str, before: str, expected: str) -> None:
    assert citation_note(href, text, before, own="mpep" if "s715" not in href else "") == expected


def test_links_inside_a_collection_need_no_note() -> None:
    assert citation_note(L, "section 181", "as provided in ", own="usc") == ""
    assert citation_note(R, "section 1.131", "as provided in ", own="usc") == "37 CFR 1.131"
