"""Chunks of company documents: whole sentences, headings, tables, overlap and stable ids."""

from typing import Any

import pytest
from haystack import Document

from components.splitters.paragraph_splitter import ParagraphSplitter, width


def block(text: str, part: str, kind: str = "text", **fields: Any) -> dict[str, Any]:
    start = text.index(part)
    return {"start": start, "end": start + len(part), "kind": kind, **fields}


def split(text: str, *blocks: dict[str, Any], **sizes: int) -> list[Document]:
    splitter = ParagraphSplitter(**{"max_chars": 13, "min_chars": 5, "overlap_chars": 6, **sizes})
    meta = {"title": "規程", "blocks": list(blocks), "department": "人事部"}
    return splitter.run(documents=[Document(id="a.md", content=text, meta=meta)])["documents"]


def contents(chunks: list[Document]) -> list[str]:
    return [chunk.content or "" for chunk in chunks]


@pytest.mark.parametrize(("text", "size"), [("", 0), ("規程", 2), ("EV-2024の報告", 6.5), ("ｻｰﾊﾞ", 2)])
def test_half_width_characters_count_half(text: str, size: float) -> None:
    assert width(text) == size


def test_a_full_chunk_ends_with_a_sentence_and_the_next_repeats_the_last_one() -> None:
    chunks = split("あいうえお。かきくけこ。さしすせそ。")

    assert contents(chunks) == ["あいうえお。かきくけこ。", "かきくけこ。さしすせそ。"]
    assert [chunk.id for chunk in chunks] == ["a.md#1", "a.md#2"]
    assert [chunk.meta["span"] for chunk in chunks] == [[0, 12], [6, 18]]
    assert [chunk.meta["ordinal"] for chunk in chunks] == [1, 2]


def test_nothing_is_repeated_that_leaves_no_room_for_something_new() -> None:
    assert contents(split("あいうえお。かきくけこ。さしすせそたちつ。")) == [
        "あいうえお。かきくけこ。",
        "さしすせそたちつ。",
    ]


def test_a_long_sentence_is_cut_behind_a_comma_or_where_it_must() -> None:
    text = "あいうえおかきくけ、さしすせそたちつてとなにぬねのはひふへほ。"

    assert contents(split(text)) == ["あいうえおかきくけ、", "さしすせそたちつてとなにぬ", "ねのはひふへほ。"]


def test_a_heading_begins_a_chunk_once_there_is_enough() -> None:
    text = "目的\n\n短い。\n\n範囲\n\n対象は全員。\n\n罰則\n\nない。"
    first, second, third = "目的", "範囲", "罰則"
    chunks = split(
        text,
        block(text, first, "heading"),
        block(text, "短い。", headings=[first]),
        block(text, second, "heading"),
        block(text, "対象は全員。", headings=[second]),
        block(text, third, "heading"),
        block(text, "ない。", headings=[third]),
        max_chars=30,
        min_chars=8,
    )

    assert contents(chunks) == ["目的\n\n短い。\n\n範囲\n\n対象は全員。", "罰則\n\nない。"]
    # What only a part of the chunk stands under is in its text and not above it.
    assert [chunk.meta["heading_path"] for chunk in chunks] == ["規程", "規程 > 罰則"]


def test_a_heading_goes_with_what_it_heads() -> None:
    text = "あいうえおかきく。\n\n範囲\n\n対象は全員とする。"
    chunks = split(
        text,
        block(text, "あいうえおかきく。"),
        block(text, "範囲", "heading"),
        block(text, "対象は全員とする。", headings=["範囲"]),
        min_chars=12,
    )

    assert contents(chunks) == ["あいうえおかきく。", "範囲\n\n対象は全員とする。"]


def test_pieces_of_a_table_begin_with_its_first_row() -> None:
    text = "品名 | 数量\n端子台 | 3\nケーブル | 5\n筐体 | 7"
    chunks = split(text, block(text, text, "table", page=2), max_chars=14, min_chars=2)

    assert contents(chunks) == ["品名 | 数量\n端子台 | 3", "品名 | 数量\nケーブル | 5\n筐体 | 7"]
    assert [chunk.meta["span"] for chunk in chunks] == [[0, 15], None]
    assert [(chunk.meta["kind"], chunk.meta["page"]) for chunk in chunks] == [("table", 2), ("table", 2)]


def test_sheets_and_slides_never_share_a_chunk() -> None:
    text = "売上\n\n費用"
    chunks = split(text, block(text, "売上", label="一枚目", page=1), block(text, "費用", label="二枚目", page=2))

    assert [(chunk.content, chunk.meta["label"], chunk.meta["page"]) for chunk in chunks] == [
        ("売上", "一枚目", 1),
        ("費用", "二枚目", 2),
    ]


def test_english_is_split_by_its_own_sentences() -> None:
    text = "Check the insulation. It must be high. Then start."

    assert contents(split(text, max_chars=20, overlap_chars=0)) == [
        "Check the insulation. It must be high.",
        "Then start.",
    ]


def test_a_document_without_text_is_found_by_its_title_and_metadata_is_kept() -> None:
    result = ParagraphSplitter().run([Document(id="b", content="", meta={"title": "規程", "department": "人事部"})])
    (chunk,), (record,) = result["documents"], result["records"]

    assert (chunk.content, chunk.meta["span"], chunk.meta["department"]) == ("規程", None, "人事部")
    assert (record.id, record.content, record.meta["source_id"]) == ("b", "", "b")
    assert "blocks" not in record.meta


@pytest.mark.parametrize(
    "sizes", [{"max_chars": 10, "overlap_chars": 10}, {"min_chars": 300}, {"overlap_chars": -1}, {"min_chars": -1}]
)
def test_sizes_that_do_not_fit_together(sizes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="below max_chars"):
        ParagraphSplitter(**sizes)
