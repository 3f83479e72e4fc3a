"""Records: fields, metadata, broken lines, corpora of benchmarks."""

import json
from typing import Any

import pytest

from components.converters.record_lines import RecordLinesConverter
from tests.components.converters.company_files import convert, reason

CONVERTER = RecordLinesConverter()


def lines(*records: Any) -> bytes:
    return "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records).encode()


def test_fields_and_metadata() -> None:
    data = lines(
        {
            "id": "N-1",
            "title": "通知",
            "text": "本日休業。\n\n■ 連絡先\n総務部。",
            "metadata": {"department": "総務部", "project_id": "ｅｖ－2024－001", "access_groups": "人事部", "rank": 3},
        },
        "",
        {"_id": "N-2", "title": "題だけ", "text": "", "lang": "ja", "grade": 2, "kind": "x", "notes": "a" * 501},
    )
    first, second = convert(CONVERTER, data, "a.jsonl")["documents"]

    assert (first.id, first.content, first.meta["title"]) == ("N-1", "本日休業。\n\n連絡先\n\n総務部。", "通知")
    assert [first.meta[name] for name in ("department", "project_id", "access_groups", "rank")] == [
        "総務部",
        "EV-2024-001",
        ["人事部"],
        3,
    ]
    assert (second.content, second.meta["language"], second.meta["grade"]) == ("題だけ", "ja", 2)
    assert not {"kind", "notes"} & second.meta.keys()


def test_broken_lines_are_named_and_the_others_read() -> None:
    data = lines(
        {"id": "a", "text": "一"},
        "{bad",
        [1],
        {"id": 3, "text": "x"},
        {"id": "b", "text": 5},
        {"id": "c", "text": "x", "metadata": [1]},
        {"id": "d", "text": "x", "metadata": {"acces_groups": ["人事部"]}},
        {"id": "e", "text": "x", "metadata": {"updated_at": "いつか"}},
        {"id": "a", "text": "二"},
        {"id": "f", "text": "六"},
    )
    result = convert(CONVERTER, data, "a.jsonl")

    assert [document.id for document in result["documents"]] == ["a", "f"]
    reasons = [failure["reason"] for failure in result["failures"]]
    assert [reason.partition(":")[0] for reason in reasons] == [f"line {number}" for number in range(2, 10)]
    for part, found in zip(
        ["not JSON", "not list", "'id' must", "'text' must", "'metadata' must", "write 'access_groups'", "a date"],
        reasons,
        strict=False,
    ):
        assert part in found
    assert reasons[-1] == "line 9: the id 'a' was used in line 1"


@pytest.mark.parametrize(("data", "part"), [(b"\n", "holds no records"), ("ｻｰﾊﾞ".encode("cp932"), "doubtful")])
def test_files_that_cannot_be_used(data: bytes, part: str) -> None:
    assert part in reason(CONVERTER, data, "a.jsonl")


def test_records_in_shift_jis() -> None:
    data = '{"id": "a", "title": "通知", "text": "本日は休業します。"}'.encode("cp932")

    assert convert(CONVERTER, data, "a.jsonl")["documents"][0].content == "本日は休業します。"
