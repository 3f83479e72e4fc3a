"""Citations in the spellings that people use, each with one canonical form."""

import pytest

from components.analysis.folding import fold
from components.analysis.legal_citations import ancestors, bare_readings, canonical, find_citations


def names(text: str) -> list[str]:
    return [found.canonical for found in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Statutes.
        ("35 U.S.C. 112(b)", ["usc:35:112(b)"]),
        ("35 usc 112 (b)", ["usc:35:112(b)"]),
        ("35 USC § 112(b)(1)", ["usc:35:112(b)(1)"]),
        ("35 U. S. C. sec. 101", ["usc:35:101"]),
        ("35 U.S.C.A. § 102", ["usc:35:102"]),
        ("３５ Ｕ．Ｓ．Ｃ． １１２（ｂ）", ["usc:35:112(b)"]),
        ("35\u00a0U.S.C.\u00a0112", ["usc:35:112"]),
        ("35 U.S.C. 154(b)(1)(A)(i)", ["usc:35:154(b)(1)(a)(i)"]),
        ("35 U.S.C. §§ 102, 103", ["usc:35:102", "usc:35:103"]),
        ("35 U.S.C. 102 and 103 and 112(b)", ["usc:35:102", "usc:35:103", "usc:35:112(b)"]),
        ("35 U.S.C. 102, 103, or 112", ["usc:35:102", "usc:35:103", "usc:35:112"]),
        ("35 U.S.C. 102/103", ["usc:35:102", "usc:35:103"]),
        ("35 U.S.C. 102-103", ["usc:35:102", "usc:35:103"]),
        ("35 U.S.C. 102 or 35 U.S.C. 103", ["usc:35:102", "usc:35:103"]),
        ("35 U.S.C. 102, 37 CFR 1.131", ["usc:35:102", "cfr:37:1.131"]),
        ("35 U.S.C. 6 and 89 FR 11900", ["usc:35:6", "frcite:89:11900"]),
        ("18 U.S.C. 1001 and 2071", ["usc:18:1001", "usc:18:2071"]),
        ("section 112", ["usc:35:112"]),
        ("sections 102 and 103", ["usc:35:102", "usc:35:103"]),
        ("a rejection under 102(a)(1)", ["usc:35:102(a)(1)"]),
        # Rules.
        ("37 CFR 1.75", ["cfr:37:1.75"]),
        ("37 C.F.R. § 1.131(a)", ["cfr:37:1.131(a)"]),
        ("rule 1.131", ["cfr:37:1.131"]),
        ("rules 1.130 and 1.131", ["cfr:37:1.130", "cfr:37:1.131"]),
        ("37 CFR 1.97 through 1.99", ["cfr:37:1.97", "cfr:37:1.99"]),
        ("37 CFR 1.97; 41.37", ["cfr:37:1.97", "cfr:37:41.37"]),
        ("section 1.53", ["cfr:37:1.53"]),
        # The manual.
        ("MPEP § 2106", ["mpep:2106"]),
        ("M.P.E.P. 2163", ["mpep:2163"]),
        ("mpep2163", ["mpep:2163"]),
        ("MPEP chapter 2100", ["mpep:2100"]),
        ("MPEP 608.01(o)", ["mpep:608.01(o)"]),
        ("MPEP 608.01 (o)", ["mpep:608.01(o)"]),
        ("MPEP § 1504.1", ["mpep:1504.1"]),
        ("MPEP § 2106.04(a)(2), part III", ["mpep:2106.04(a)(2)"]),
        ("MPEP §§ 2106-2106.07", ["mpep:2106", "mpep:2106.07"]),
        ("MPEP § 2106‐2106.07", ["mpep:2106", "mpep:2106.07"]),
        ("MPEP §§ 2106–2107", ["mpep:2106", "mpep:2107"]),
        ("MPEP 999-1001", ["mpep:999", "mpep:1001"]),
        ("MPEP 2106.04(a)(2) and 2106.05", ["mpep:2106.04(a)(2)", "mpep:2106.05"]),
        ("§ 2106", ["mpep:2106"]),
        ("608.01(o)", ["mpep:608.01(o)"]),
        ("６０８．０１（ｏ）", ["mpep:608.01(o)"]),
        # Form paragraphs, notices, treaties.
        ("form paragraph 7.05.01", ["fp:7.05.01"]),
        ("¶ 7.05.01", ["fp:7.05.01"]),
        ("¶¶ 7.05 and 7.06", ["fp:7.05", "fp:7.06"]),
        ("FP 7.21.aia", ["fp:7.21.aia"]),
        ("notice 2024-02623", ["fr:2024-02623"]),
        ("89 FR 11900", ["frcite:89:11900"]),
        ("89 Fed. Reg. 11,900", ["frcite:89:11900"]),
        ("84 FR 50", ["frcite:84:50"]),
        ("84 Fed. Reg. 5, 7", ["frcite:84:5"]),
        ("FR Doc. 04-1234", ["fr:04-1234"]),
        ("FR Doc. No. E9-12345", ["fr:e9-12345"]),
        ("FR Document 2018-28282", ["fr:2018-28282"]),
        ("PCT Rule 4.10", ["pct:rule:4.10"]),
        ("PCT Rule 26bis.3", ["pct:rule:26bis.3"]),
        ("PCT Article 8", ["pct:art:8"]),
        ("Paris Convention, Art. 4", ["paris:art:4"]),
        # All of them, in the order of the text.
        ("37 CFR 1.75, 35 U.S.C. 112 and MPEP 2173", ["cfr:37:1.75", "usc:35:112", "mpep:2173"]),
    ],
)
def test_citations(text: str, expected: list[str]) -> None:
    assert names(text) == expected
    assert names(f"It is said (see {text}).") == expected


@pytest.mark.parametrize(
    "text",
    [
        "It costs $608.01 in all",
        "It costs $ 608.01 in all",
        "a fee of $2,106.04",
        "a fee of 2,106.04",
        "in 2106 cases",
        "filed in 2014",
        "from 1999-2014",
        "the years 2019-2020",
        "12.5 percent",
        "608.01% more",
        "608.01 percent more",
        "100.25 kg",
        "a width of 608.01 mm",
        "37 parts",
        "version 608.01.2",
        "MPEP 21060",
        "section 21060",
        "US 608,010",
        "call 571-272-1000",
        "document 04-1234",
        "on 04-1234 jars",
    ],
)
def test_numbers_that_cite_nothing(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("35 U.S.C. 112, 2012 edition", ["usc:35:112"]),
        ("35 U.S.C. 103. 100 pages", ["usc:35:103"]),
        ("MPEP 2106. In 2107 cases", ["mpep:2106"]),
        ("MPEP § 706.03(a) and $2100", ["mpep:706.03(a)"]),
    ],
)
def test_what_follows_a_citation_is_not_part_of_it(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("As ½ said, ３５ Ｕ．Ｓ．Ｃ． １１２（ｂ） applies", ["３５ Ｕ．Ｓ．Ｃ． １１２（ｂ）"]),
        ("… 35 U.S.C. §§ 102, 103 …", ["35 U.S.C. §§ 102", "103"]),
        ("™ MPEP §§ 2106‐2106.07 ﬁn", ["MPEP §§ 2106‐2106.07", "MPEP §§ 2106‐2106.07"]),
        ("sections 102 and 103", ["sections 102", "103"]),
        ("½ 89 Fed. Reg. 11,900", ["89 Fed. Reg. 11,900"]),
    ],
)
def test_offsets_point_into_the_original_text(text: str, spans: list[str]) -> None:
    assert [text[found.start : found.end] for found in find_citations(text)] == spans


def test_a_folded_text_can_be_given() -> None:
    assert find_citations(fold("½ MPEP 2106")) == find_citations("½ MPEP 2106")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("103", ["mpep:103", "usc:35:103"]),
        ("§ 103", ["mpep:103", "usc:35:103"]),
        ("section 103", ["mpep:103", "usc:35:103"]),
        ("100", ["mpep:100", "usc:35:100"]),
        ("2106", ["mpep:2106", "usc:35:2106"]),
        ("２１０６", ["mpep:2106", "usc:35:2106"]),
        (" 112(b) ", ["usc:35:112(b)"]),
        ("112 (b)", ["usc:35:112(b)"]),
        ("1.131(a)", ["cfr:37:1.131(a)", "fp:1.131(a)"]),
        ("608.01o", ["mpep:608.01(o)", "cfr:37:608.01o"]),
        ("4.10", ["cfr:37:4.10", "pct:rule:4.10", "fp:4.10"]),
        ("7.05.01", ["fp:7.05.01"]),
        ("2024-02623", ["fr:2024-02623"]),
        ("2106.04(a)(2)", ["mpep:2106.04(a)(2)"]),
        ("107-109", ["mpep:107-109"]),
        ("2022.01 - 2022.04", []),
        ("706.03(f)-706.03(j)", []),
        ("103 and 104", []),
        ("MPEP 103", []),
        ("the 103 rejection", []),
        ("claims", []),
    ],
)
def test_readings_of_a_bare_number(query: str, expected: list[str]) -> None:
    assert bare_readings(query) == expected


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("mpep:2106.04(a)(2)", ["mpep:2106.04(a)(2)", "mpep:2106.04(a)", "mpep:2106.04", "mpep:2106"]),
        ("mpep:2106", ["mpep:2106"]),
        ("usc:35:112(b)(1)", ["usc:35:112(b)(1)", "usc:35:112(b)", "usc:35:112"]),
        ("cfr:37:1.131(a)", ["cfr:37:1.131(a)", "cfr:37:1.131"]),
        ("fp:7.05.01", ["fp:7.05.01"]),
    ],
)
def test_ancestors(identifier: str, expected: list[str]) -> None:
    assert ancestors(identifier) == expected


@pytest.mark.parametrize(
    ("kind", "number", "expected"),
    [
        ("usc", "112 (B)", "usc:35:112(b)"),
        ("cfr", "1.131 (a) (1)", "cfr:37:1.131(a)(1)"),
        ("mpep", "608.01(O)", "mpep:608.01(o)"),
        ("pct:rule", "26 bis.3", "pct:rule:26bis.3"),
    ],
)
def test_canonical(kind: str, number: str, expected: str) -> None:
    assert canonical(kind, number) == expected
    assert canonical("usc", "1001", title="18") == "usc:18:1001"


def test_no_prefix_of_a_number_is_taken_for_it() -> None:
    assert "mpep:2106" not in names("MPEP 2107, MPEP 21061")
    assert "mpep:100" not in names("MPEP 1000 and MPEP 1002.02")


@pytest.mark.parametrize("run", ["§", "¶", " ", "\n", "(", "1 "])
def test_long_runs_take_linear_time(run: str) -> None:
    assert names(f"mpep {run * 100_000}") == []
    assert bare_readings(f"1{run * 100_000}!") == []


@pytest.mark.parametrize(("text", "expected"), [("§§§§ 2106", ["mpep:2106"]), ("¶¶¶¶ 7.05.01", ["fp:7.05.01"])])
def test_more_signs_than_needed(text: str, expected: list[str]) -> None:
    assert names(text) == expected
