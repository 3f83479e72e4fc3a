"""Lists and ranges of numbers, read as people write them."""

import pytest

from components.analysis.citation_series import Named, read_series
from components.analysis.legal_citations import find_citations

SERIES = [
    # Lists, with the head on all, on the first or on none of the numbers.
    ("608.01(o) and 2106", [["mpep:608.01(o)"], ["mpep:2106", "usc:35:2106"]]),
    ("MPEP 608.01(o) and 2106", [["mpep:608.01(o)"], ["mpep:2106"]]),
    (
        "76.1, 76.2 and 76.3",
        [[f"cfr:37:76.{n}", f"pct:rule:76.{n}", f"fp:76.{n}"] for n in (1, 2, 3)],
    ),
    ("103 and 104", [["mpep:103", "usc:35:103"], ["mpep:104", "usc:35:104"]]),
    ("35 usc 102, 103, or 2106", [["usc:35:102"], ["usc:35:103"], ["mpep:2106", "usc:35:2106"]]),
    ("2106; § 112(b) and/or 37 CFR 1.75", [["mpep:2106", "usc:35:2106"], ["usc:35:112(b)"], ["cfr:37:1.75"]]),
    ("§ 608.01 (o) and ６０８．０２.", [["mpep:608.01(o)"], ["mpep:608.02"]]),
    ("2106", [["mpep:2106", "usc:35:2106"]]),
    ("MPEP 2106,", [["mpep:2106"]]),
    ("2024-12345", [["fr:2024-12345"]]),
    # Ranges: both ends, and what lies between them.
    ("§§ 2106-2107", [["mpep:2106", "mpep:2107"]]),
    ("2106-2108", [["mpep:2106", "usc:35:2106", "mpep:2107", "usc:35:2107", "mpep:2108", "usc:35:2108"]]),
    ("MPEP §§ 2106.04–2106.07", [["mpep:2106.04", "mpep:2106.05", "mpep:2106.06", "mpep:2106.07"]]),
    ("MPEP 608.02(j) - 608.02(m)", [[f"mpep:608.02({letter})" for letter in "jklm"]]),
    ("MPEP 706.03(a)(1)-706.03(a)(3)", [[f"mpep:706.03(a)({number})" for number in (1, 2, 3)]]),
    ("MPEP 999-1001", [["mpep:999", "mpep:1000", "mpep:1001"]]),
    ("37 CFR 1.75 to 1.77", [["cfr:37:1.75", "cfr:37:1.76", "cfr:37:1.77"]]),
    ("37 CFR 1.9 through 1.11", [["cfr:37:1.9", "cfr:37:1.10", "cfr:37:1.11"]]),
    ("35 U.S.C. 112-114", [["usc:35:112", "usc:35:113", "usc:35:114"]]),
    ("¶¶ 7.05.01 to 7.05.03", [["fp:7.05.01", "fp:7.05.02", "fp:7.05.03"]]),
    ("PCT Rules 4-6, and MPEP 2106", [["pct:rule:4", "pct:rule:5", "pct:rule:6"], ["mpep:2106"]]),
    # Ends that fall, that are of two kinds, that lie more than 20 numbers apart or on two levels: the ends alone.
    ("MPEP 2107-2106", [["mpep:2107", "mpep:2106"]]),
    ("MPEP 2106 to 37 CFR 1.75", [["mpep:2106", "cfr:37:1.75"]]),
    ("35 U.S.C. 100-121", [[f"usc:35:{number}" for number in range(100, 122)]]),
    ("35 U.S.C. 100-122", [["usc:35:100", "usc:35:122"]]),
    ("MPEP 2106-2106.07", [["mpep:2106", "mpep:2106.07"]]),
    ("37 CFR 1.75-2.75", [["cfr:37:1.75", "cfr:37:2.75"]]),
]


@pytest.mark.parametrize(("text", "expected"), SERIES)
def test_texts_that_are_one_series(text: str, expected: list[list[str]]) -> None:
    series = read_series(text)

    assert series.is_whole
    assert [[sorted(item.names()) for item in run] for run in series.runs] == [[sorted(names) for names in expected]]


@pytest.mark.parametrize(("text", "expected"), SERIES)
def test_known_citations_are_taken_as_they_are(text: str, expected: list[list[str]]) -> None:
    assert read_series(text, find_citations(text)) == read_series(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Without a head numbers are read only where there is nothing else.
        ("the 103 rejection", []),
        ("in 2014, 2015 and 2016", []),
        ("MPEP 608.01(o) Basis for 12 claims", [[["mpep:608.01(o)"]]]),
        ("35 U.S.C. 112, 2012 edition", [[["usc:35:112"]]]),
        ("MPEP § 2106.04(a)(2), part III", [[["mpep:2106.04(a)(2)"]]]),
        (
            "compare 37 CFR 1.75 to 1.77, and MPEP 2111, with § 2106.",
            [[["cfr:37:1.75", "cfr:37:1.76", "cfr:37:1.77"], ["mpep:2111"]], [["mpep:2106"]]],
        ),
        (f"MPEP 2106 {'word ' * 50} MPEP 2107", [[["mpep:2106"]], [["mpep:2107"]]]),
    ],
)
def test_runs_between_other_words(text: str, expected: list[list[list[str]]]) -> None:
    series = read_series(text)

    assert not series.is_whole
    assert [[item.names() for item in run] for run in series.runs] == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "claims",
        "2024-01-15",
        "12-15-2024",
        "6,123,456",
        "US 6,123,456",
        "15/123,456",
        "571-272-1000",
        "100-9999999",
        "MPEP 100-9999999",
        "MPEP 2106 to",
        "- 2106",
        "2106 2107",
        "2106 and 007",
        "1-2-3",
        "MPEP 2106-2107-2108",
    ],
)
def test_what_is_no_series(text: str) -> None:
    series = read_series(text)

    assert not series.is_whole
    assert not [item for run in series.runs for item in run if item.last]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("½ 608.01(o) and MPEP 2106", ["608.01(o)", "MPEP 2106"]),
        ("37 ＣＦＲ 1.75 to 1.77; 2106", ["37 ＣＦＲ 1.75 to 1.77", "2106"]),
        (" §§ 2106‐2107 ", ["§§ 2106‐2107"]),
    ],
)
def test_offsets_point_into_the_text(text: str, spans: list[str]) -> None:
    assert [text[item.start : item.end] for run in read_series(text).runs for item in run] == spans


def test_the_ends_of_a_range_by_what_they_can_mean() -> None:
    item = Named(0, 7, ("mpep:103", "usc:35:103"), ("mpep:105", "usc:35:105"))

    assert item.ranges() == [("mpep:103", "mpep:105"), ("usc:35:103", "usc:35:105")]
    assert Named(0, 7, ("mpep:2106",), ("cfr:37:1.75",)).ranges() == []


@pytest.mark.parametrize("run", ["§", " ", "1 ", "1-", "1, ", "and ", "(", "MPEP 1"])
def test_long_runs_take_linear_time(run: str) -> None:
    assert not read_series(f"MPEP 2106 {run * 50_000}").is_whole
    assert not read_series(f"1{run * 50_000}").is_whole
