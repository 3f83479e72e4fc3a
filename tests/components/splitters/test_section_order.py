"""The sort key of chunks: the order of the printed books."""

import itertools

import pytest

from components.splitters.section_order import order_span, section_order


def meta(source: str, section: str, label: str | None = None, **others: object) -> dict:
    heads = {"MPEP": "MPEP", "35_USC": "35 U.S.C.", "37_CFR": "37 CFR"}
    label = f"{heads[source]} {section}" if label is None and source in heads else label
    return {"source": source, "section": section, "number_label": label or section, **others}


@pytest.mark.parametrize(
    "records",
    [
        [
            meta("MPEP", number)
            for number in (
                *("101", "107-109", "600", "608", "608.01", "608.01(a)", "608.01(b)", "608.01(o)", "608.01(z)"),
                *("608.01(aa)", "608.01(ab)", "608.01(az)", "608.01(bb)", "608.01(cc)", "608.02", "608.02(a)"),
                *("700", "706.03(a)", "706.03(a)(1)", "706.03(a)(2)"),
                *("706.03(a)(10)", "706.03(b)", "1002.02(c)", "2106", "2106.04", "2106.04(a)", "2106.04(a)(2)"),
                *("2106.05", "2107"),
            )
        ],
        [meta("35_USC", number) for number in ("1", "41", "100", "101", "102", "157", "157a", "158", "376")],
        [meta("37_CFR", number) for number in ("1.1", "1.53", "1.75", "1.131", "1.704", "2.1", "41.37", "90.1")],
        [
            meta("35_USC", "102", source_id="35USC-102"),
            meta("35_USC", "102", source_id="35USC-102-preAIA", pre_aia=True),
            meta("35_USC", "102", source_id="35USC-102-note"),
            meta("35_USC", "103", source_id="35USC-103"),
            meta("35_USC", "134", source_id="35USC-134"),
            meta("35_USC", "134", source_id="35USC-134-transitional"),
            meta("35_USC", "134", source_id="35USC-134-preAIA", pre_aia=True),
            meta("35_USC", "18 U.S.C. 1001", label="18 U.S.C. 1001", source_id="18USC-1001"),
            meta("35_USC", "18 U.S.C. 2071", label="18 U.S.C. 2071", source_id="18USC-2071"),
            meta("35_USC", "AIA § 18", label="AIA 18", source_id="AIA-18"),
        ],
        [
            meta("37_CFR", "1.2", source_id="37CFR-1.2"),
            *(meta("37_CFR", "1.2", source_id=f"37CFR-1.2-{copy}") for copy in ("v2", "v3", "v9")),
            meta("37_CFR", "1.2", source_id="37CFR-1.2-2012-09-17-thru-2013-03-31"),
            meta("37_CFR", "1.2", source_id="37CFR-1.2-pre-2012-09-17"),
            meta("37_CFR", "1.2", source_id="37CFR-1.2-preAIA", pre_aia=True),
            meta("37_CFR", "1.2", source_id="37CFR-1.2-preAIA-2", pre_aia=True),
            meta("37_CFR", "1.12", source_id="37CFR-1.12"),
        ],
        [
            # The text of a chapter's own page, a section with the chapter's number, the second of two in one page.
            meta("MPEP", "2000", source_id="MPEP-chapter-2000"),
            meta("MPEP", "2000", source_id="MPEP-2000"),
            meta("MPEP", "2000", source_id="MPEP-2000-2"),
            meta("MPEP", "2017-2021", source_id="MPEP-2017-2021"),
            meta("MPEP", "2022.01 - 2022.04", source_id="MPEP-2022.01-2022.04"),
            meta("MPEP", "Preamble", label="PCT Preamble"),
            meta("MPEP", "Article 4", label="PCT Article 4"),
            meta("MPEP", "Rule 4", label="PCT Rule 4"),
            meta("MPEP", "4.1", label="PCT Rule 4.1"),
            meta("MPEP", "4.10", label="PCT Rule 4.10"),
            meta("MPEP", "12.1", label="PCT Rule 12.1"),
            meta("MPEP", "12.1bis", label="PCT Rule 12.1bis"),
            meta("MPEP", "12.1ter", label="PCT Rule 12.1ter"),
            meta("MPEP", "12.2", label="PCT Rule 12.2"),
            meta("MPEP", "Rule 12bis", label="PCT Rule 12bis"),
            meta("MPEP", "12bis.1", label="PCT Rule 12bis.1"),
            meta("MPEP", "Rule 13", label="PCT Rule 13"),
            meta("MPEP", "Section 101", label="PCT Administrative Instructions Section 101"),
            meta("MPEP", "Article 4", label="Paris Convention Article 4"),
            meta("MPEP", "Article 4quinquies", label="Paris Convention Article 4quinquies"),
            meta("MPEP", "Article 4sexies", label="Paris Convention Article 4sexies"),
            meta("MPEP", "Article 5", label="Paris Convention Article 5"),
        ],
        [
            meta("MPEP", "2700"),
            meta("MPEP", "8", label="PCT Art 8"),
            meta("35_USC", "1"),
            meta("37_CFR", "1.1"),
            meta("SUBSEQUENT", "2024-02623", publication_date="2024-02-12"),
            meta("SUBSEQUENT", "2024-02624", publication_date="2024-02-12"),
            meta("SUBSEQUENT", "2023-99999", publication_date="2024-02-13"),
            meta("", "1"),
        ],
    ],
)
def test_records_sort_like_the_books(records: list[dict]) -> None:
    keys = [section_order(record, 0) for record in records]

    assert keys == sorted(set(keys))
    for first, second in itertools.pairwise(records):
        assert section_order(first, 16383) < section_order(second, 0)


# The text in force.
NOW = 1 << 14


@pytest.mark.parametrize(
    ("record", "ordinal", "expected"),
    [
        # source 1, 608 in bits 42.., 01 + 1 in bits 31.., letter o = 15 in bits 23.., variant in bits 14.., ordinal 3.
        (meta("MPEP", "608.01(o)"), 3, (1 << 59) + (608 << 42) + (2 << 31) + (15 << 23) + NOW + 3),
        (meta("MPEP", "608.01(ab)"), 3, (1 << 59) + (608 << 42) + (2 << 31) + (28 << 23) + NOW + 3),
        (meta("MPEP", "2106.04(a)(2)"), 1, (1 << 59) + (2106 << 42) + (5 << 31) + (1 << 23) + (2 << 18) + NOW + 1),
        (meta("35_USC", "102", pre_aia=True), 0, (2 << 59) + (102 << 42) + (12 << 14)),
        (meta("35_USC", "102", source_id="35USC-102-v3"), 0, (2 << 59) + (102 << 42) + (3 << 14)),
        (meta("35_USC", "157a"), 0, (2 << 59) + (157 << 42) + (1 << 23) + NOW),
        (meta("37_CFR", "1.131"), 0, (3 << 59) + (1 << 42) + (132 << 31) + NOW),
        (meta("MPEP", "Article 8", label="PCT Article 8"), 0, (1 << 59) + (1 << 56) + (8 << 45) + NOW),
        (meta("MPEP", "26bis.3", label="PCT Rule 26bis.3"), 0, (1 << 59) + (2 << 56) + (209 << 42) + (4 << 31) + NOW),
        (
            meta("SUBSEQUENT", "2024-02623", publication_date="2024-02-12"),
            2,
            (4 << 59) + (20240212 << 31) + (2623 << 14) + 2,
        ),
        ({}, 5, (7 << 59) + NOW + 5),
        (meta("MPEP", "608"), 99_999, (1 << 59) + (608 << 42) + NOW + 16383),
        (meta("MPEP", "608.01(zzz)"), 0, (1 << 59) + (608 << 42) + (2 << 31) + (255 << 23) + NOW),
    ],
)
def test_the_key_by_hand(record: dict, ordinal: int, expected: int) -> None:
    assert section_order(record, ordinal) == expected
    assert expected < 2**62


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("mpep:2106", "mpep:2107", ((1 << 59) + (2106 << 42), (1 << 59) + (2108 << 42))),
        ("mpep:608.01", "mpep:608.01", ((1 << 59) + (608 << 42) + (2 << 31), (1 << 59) + (608 << 42) + (3 << 31))),
        (
            "mpep:608.01(o)",
            "mpep:608.01(p)",
            ((1 << 59) + (608 << 42) + (2 << 31) + (15 << 23), (1 << 59) + (608 << 42) + (2 << 31) + (17 << 23)),
        ),
        ("mpep:2100", "mpep:2200", ((1 << 59) + (2100 << 42), (1 << 59) + (2300 << 42))),
        ("usc:35:112(b)", "usc:35:114", ((2 << 59) + (112 << 42), (2 << 59) + (115 << 42))),
        ("cfr:37:1.75", "cfr:37:1.77", ((3 << 59) + (1 << 42) + (76 << 31), (3 << 59) + (1 << 42) + (79 << 31))),
        (
            "pct:rule:12",
            "pct:rule:13",
            ((1 << 59) + (2 << 56) + (96 << 42), (1 << 59) + (2 << 56) + (105 << 42)),
        ),
        ("mpep:2106", "cfr:37:1.77", None),
        ("fp:7.05", "fp:7.10", None),
        ("usc:18:1001", "usc:18:2071", None),
    ],
)
def test_the_keys_of_a_span(first: str, last: str, expected: tuple[int, int] | None) -> None:
    assert order_span(first, last) == expected


@pytest.mark.parametrize(
    ("section", "first", "last", "inside"),
    [
        ("2107.02", "mpep:2106", "mpep:2107", True),
        ("2108", "mpep:2106", "mpep:2107", False),
        ("2105", "mpep:2106", "mpep:2107", False),
        ("2106.05(h)", "mpep:2106.04", "mpep:2106.05", True),
        ("2106.04", "mpep:2106.04", "mpep:2106.05", True),
        ("2106", "mpep:2106.04", "mpep:2106.05", False),
        ("2106.06", "mpep:2106.04", "mpep:2106.05", False),
        ("608.01(ab)", "mpep:608.01(z)", "mpep:608.01(ab)", True),
        ("608.01(y)", "mpep:608.01(z)", "mpep:608.01(ab)", False),
    ],
)
def test_which_sections_a_span_holds(section: str, first: str, last: str, inside: bool) -> None:
    lowest, above = order_span(first, last) or (0, 0)

    for ordinal in (0, 16_000):
        assert (lowest <= section_order(meta("MPEP", section), ordinal) < above) is inside
