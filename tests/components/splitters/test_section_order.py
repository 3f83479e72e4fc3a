"""The sort key of chunks: the order of the printed books."""

import itertools

import pytest

from components.splitters.section_order import section_order


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
                *("608.01(aa)", "608.02", "608.02(a)", "700", "706.03(a)", "706.03(a)(1)", "706.03(a)(2)"),
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


@pytest.mark.parametrize(
    ("record", "ordinal", "expected"),
    [
        # source 1, 608 in bits 38.., 01 + 1 in bits 27.., letter o = 15 in bits 21.., ordinal 3.
        (meta("MPEP", "608.01(o)"), 3, (1 << 59) + (608 << 38) + (2 << 27) + (15 << 21) + 3),
        (meta("MPEP", "2106.04(a)(2)"), 1, (1 << 59) + (2106 << 38) + (5 << 27) + (1 << 21) + (2 << 16) + 1),
        (meta("35_USC", "102", pre_aia=True), 0, (2 << 59) + (102 << 38) + (1 << 14)),
        (meta("37_CFR", "1.131"), 0, (3 << 59) + (1 << 38) + (132 << 27)),
        (meta("MPEP", "8", label="PCT Art 8"), 0, (1 << 59) + (1 << 52) + (8 << 38)),
        (
            meta("SUBSEQUENT", "2024-02623", publication_date="2024-02-12"),
            2,
            (4 << 59) + (20240212 << 31) + (2623 << 14) + 2,
        ),
        ({}, 5, (7 << 59) + 5),
        (meta("MPEP", "608"), 99_999, (1 << 59) + (608 << 38) + 16383),
    ],
)
def test_the_key_by_hand(record: dict, ordinal: int, expected: int) -> None:
    assert section_order(record, ordinal) == expected
    assert expected < 2**62
