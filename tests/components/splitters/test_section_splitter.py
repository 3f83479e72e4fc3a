"""Chunks follow a record's structure; each is a slice of its record."""

import itertools
from typing import Any

import pytest
from haystack import Document, Pipeline

from components.splitters.section_splitter import SectionSplitter
from components.splitters.token_estimate import estimate_tokens

SIZES = {"max_tokens": 40, "min_tokens": 15, "overlap_tokens": 8}


def record(texts: list[tuple[str, dict[str, Any]]], **meta: Any) -> Document:
    """A record of blocks, joined as converters do."""
    blocks, content = [], ""
    for text, block in texts:
        content += "\n\n" if content else ""
        blocks.append({"start": len(content), "end": len(content) + len(text), "kind": "text", **block})
        content += text
    base = {"source": "MPEP", "section": "608.01", "number_label": "MPEP 608.01", "title": "Specification"}
    return Document(id="MPEP-608.01", content=content, meta={**base, "chapter": "600", **meta, "blocks": blocks})


def words(count: int, word: str = "word") -> str:
    """A sentence of so many words, a full stop included as part of the last."""
    return " ".join([word.capitalize(), *[word] * (count - 1)])


def split(document: Document, **sizes: int) -> list[Document]:
    return SectionSplitter(**(sizes or SIZES)).run(documents=[document])["documents"]


def check_slices(document: Document, chunks: list[Document]) -> None:
    for ordinal, chunk in enumerate(chunks, start=1):
        start, end = chunk.meta["span"]
        assert chunk.content == document.content[start:end] != ""
        assert chunk.id == f"{document.id}#{ordinal}"
        assert chunk.meta["ordinal"] == ordinal
        assert chunk.meta["source_id"] == document.id
        assert "blocks" not in chunk.meta
    assert [c.meta["order"] for c in chunks] == sorted({c.meta["order"] for c in chunks})


def test_small_blocks_share_a_chunk() -> None:
    document = record([(words(5), {}), (words(6), {}), (words(30), {})])

    chunks = split(document)

    check_slices(document, chunks)
    assert [c.content for c in chunks] == [f"{words(5)}\n\n{words(6)}", words(30)]


def test_what_a_chunk_tells() -> None:
    document = record(
        [
            ("I. PAPER", {"kind": "heading", "headings": ["I. PAPER"], "anchor": "s1", "page": 7}),
            ("The claims must meet 35 U.S.C. 112(b) and 37 CFR 1.75.", {"headings": ["I. PAPER"], "page": 7}),
        ],
        url="https://example.org/s608.html",
        pre_aia=False,
    )

    [chunk] = split(document)

    meta = chunk.meta
    assert meta["heading_path"] == "MPEP 608.01 Specification > I. PAPER"
    assert (meta["kind"], meta["page"], meta["anchor"]) == ("text", 7, "s1")
    assert meta["url"] == "https://example.org/s608.html#s1"
    assert meta["headings"] == ["I. PAPER"]
    assert meta["cites"] == ["usc:35:112(b)", "usc:35:112", "cfr:37:1.75"]
    assert (meta["has_statute"], meta["has_mpep_ref"], meta["has_rule_ref"]) == (True, False, True)
    assert meta["self_ids"] == ["mpep:608.01"]
    assert meta["within"] == ["mpep:608.01", "mpep:608", "mpep:c600"]
    assert (meta["section"], meta["chapter"], meta["variant"]) == ("608.01", "600", "")


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("Nothing is cited.", (False, False, False)),
        ("See 35 usc 101.", (True, False, False)),
        ("See MPEP §§ 2106-2106.07.", (False, True, False)),
        ("See rule 1.131.", (False, False, True)),
        ("See 18 U.S.C. 1001.", (True, False, False)),
        ("It costs $608.01.", (False, False, False)),
        ("See MPEP 608.01.", (False, True, False)),
    ],
)
def test_flags(text: str, flags: tuple[bool, bool, bool]) -> None:
    [chunk] = split(record([(text, {})], section="2163", number_label="MPEP 2163"))

    assert (chunk.meta["has_statute"], chunk.meta["has_mpep_ref"], chunk.meta["has_rule_ref"]) == flags


@pytest.mark.parametrize(
    ("meta", "self_ids", "within"),
    [
        (
            {"section": "608.01(o)", "number_label": "MPEP 608.01(o)", "chapter": "600"},
            ["mpep:608.01(o)"],
            ["mpep:608.01(o)", "mpep:608.01", "mpep:608", "mpep:c600"],
        ),
        (
            {"section": "107-109", "number_label": "MPEP 107-109", "chapter": "100"},
            ["mpep:107-109", "mpep:107", "mpep:108", "mpep:109"],
            ["mpep:107-109", "mpep:107", "mpep:108", "mpep:109", "mpep:c100"],
        ),
        (
            {"section": "721 - 723", "number_label": "MPEP 721-723", "chapter": "700"},
            ["mpep:721", "mpep:722", "mpep:723"],
            ["mpep:721", "mpep:722", "mpep:723", "mpep:c700"],
        ),
        (
            {"section": "202.01 - 202.03", "number_label": "MPEP 202.01-202.03", "chapter": "200"},
            ["mpep:202.01", "mpep:202.02", "mpep:202.03"],
            ["mpep:202.01", "mpep:202", "mpep:202.02", "mpep:202.03", "mpep:c200"],
        ),
        (
            {"section": "608.02(q) - 608.02(s)", "number_label": "MPEP 608.02(q)-608.02(s)", "chapter": "600"},
            ["mpep:608.02(q)", "mpep:608.02(r)", "mpep:608.02(s)"],
            ["mpep:608.02(q)", "mpep:608.02", "mpep:608", "mpep:608.02(r)", "mpep:608.02(s)", "mpep:c600"],
        ),
        (
            {"section": "76.1, 76.2 and 76.3", "number_label": "PCT Rule 76.1, 76.2 and 76.3", "chapter": ""},
            ["pct:rule:76.1", "pct:rule:76.2", "pct:rule:76.3"],
            ["pct:rule:76.1", "pct:rule:76.2", "pct:rule:76.3"],
        ),
        (
            {"section": "1.131", "number_label": "37 CFR 1.131", "chapter": ""},
            ["cfr:37:1.131"],
            ["cfr:37:1.131"],
        ),
        (
            {"section": "102", "number_label": "35 U.S.C. 102 (pre-AIA)", "chapter": "10", "pre_aia": True},
            ["usc:35:102"],
            ["usc:35:102"],
        ),
        (
            {"section": "10.2", "number_label": "PCT Rule 10.2", "chapter": ""},
            ["pct:rule:10.2"],
            ["pct:rule:10.2"],
        ),
        (
            {
                "section": "2024-02623",
                "number_label": "2024-02623",
                "is_update": True,
                "fr_citation": "89 FR 11900",
                "chapter": "",
            },
            ["fr:2024-02623", "frcite:89:11900"],
            ["fr:2024-02623", "frcite:89:11900"],
        ),
        (
            {
                "section": "2030-00001",
                "number_label": "2030-00001",
                "is_update": True,
                "title": "Guidance for New Jars",
            },
            ["fr:2030-00001", "frtitle:guidance-for-new-jars"],
            ["fr:2030-00001", "frtitle:guidance-for-new-jars"],
        ),
        ({"section": "note-7", "number_label": "", "chapter": ""}, [], []),
    ],
)
def test_what_a_record_is(meta: dict[str, Any], self_ids: list[str], within: list[str]) -> None:
    [chunk] = split(record([("Text.", {})], **meta))

    assert (chunk.meta["self_ids"], chunk.meta["within"]) == (self_ids, within)


@pytest.mark.parametrize(("is_update", "titles"), [(True, ["frtitle:guidance-for-old-jars"]), (False, [])])
def test_notices_cite_others_by_their_titles(is_update: bool, titles: list[str]) -> None:
    text = "we rescind Guidance for Old Jars, see MPEP 2106 and not Guidance for New Jars"
    meta = {"section": "2031-00001", "number_label": "2031-00001", "title": "Guidance for New Jars"}

    [chunk] = split(record([(text, {})], is_update=is_update, **meta))

    assert chunk.meta["cites"] == ["mpep:2106", *titles]


@pytest.mark.parametrize(
    ("meta", "flags"),
    [
        ({"is_statute": True}, [True, True, False]),
        # Former law, and law of an act that is printed as a note, are texts of statutes.
        ({"is_statute": True, "variant": "pre-AIA", "pre_aia": True}, [True, True, False]),
        ({"is_statute": True, "variant": "note"}, [True, True, False]),
        ({"is_statute": False}, [False, False, False]),
        ({}, [False, False, False]),
    ],
)
def test_notes_are_no_text_of_a_statute(meta: dict[str, Any], flags: list[bool]) -> None:
    blocks = [(words(21), {"label": "(a)"}), (words(21), {"label": "(b)"}), ("Amended 1952.", {"kind": "note"})]

    chunks = split(record(blocks, section="102", number_label="35 U.S.C. 102", **meta))

    assert [c.meta["kind"] for c in chunks] == ["text", "text", "note"]
    assert [c.meta["is_statute"] for c in chunks] == flags


def test_a_form_paragraph_is_a_chunk_of_its_own() -> None:
    form = {"kind": "form_paragraph", "label": "7.29"}
    document = record(
        [
            ("Before.", {}),
            ("¶ 7.29 Faults", form),
            ("Please correct.", form),
            ("¶ 7.30 Others", {**form, "label": "7.30.aia"}),
            ("After.", {}),
            ("A note.", {"kind": "note"}),
        ]
    )

    chunks = split(document)

    check_slices(document, chunks)
    assert [(c.meta["kind"], c.content) for c in chunks] == [
        ("text", "Before."),
        ("form_paragraph", "¶ 7.29 Faults\n\nPlease correct."),
        ("form_paragraph", "¶ 7.30 Others"),
        ("text", "After."),
        ("note", "A note."),
    ]
    assert [c.meta["self_ids"][1:] for c in chunks] == [[], ["fp:7.29"], ["fp:7.30.aia"], [], []]
    assert [c.meta["label"] for c in chunks] == ["", "7.29", "7.30.aia", "", ""]


def test_subsections_are_what_a_chunk_is() -> None:
    document = record(
        [("(a) One.", {"label": "(a)"}), ("(A) Two.", {"label": "(a)(1)(A)"}), (words(30), {"label": "(b)"})],
        section="112",
        number_label="35 U.S.C. 112",
        source="35_USC",
    )

    first, second = split(document)

    assert first.meta["self_ids"] == ["usc:35:112", "usc:35:112(a)", "usc:35:112(a)(1)", "usc:35:112(a)(1)(a)"]
    assert first.meta["labels"] == ["(a)", "(a)(1)(A)"]
    assert second.meta["self_ids"] == ["usc:35:112", "usc:35:112(b)"]


def test_a_new_heading_starts_a_chunk_once_there_is_enough() -> None:
    def headed(size: int) -> list[str]:
        chunks = split(
            record(
                [
                    (words(size), {"headings": ["I."]}),
                    ("II. Next", {"kind": "heading", "headings": ["II."]}),
                    (words(6), {"headings": ["II."]}),
                ]
            )
        )
        return [c.content for c in chunks]

    assert headed(15) == [words(15), f"II. Next\n\n{words(6)}"]
    assert headed(14) == [f"{words(14)}\n\nII. Next\n\n{words(6)}"]


@pytest.mark.parametrize(("following", "chunks"), [(20, 2), (60, 3)])
def test_a_heading_goes_on_with_what_it_heads(following: int, chunks: int) -> None:
    heading = ("I. PAPER", {"kind": "heading", "headings": ["I. PAPER"]})
    sentences = " ".join(words(10) + "." for _ in range(following // 10))
    document = record([(words(14), {}), heading, (sentences, {"headings": ["I. PAPER"]})])

    found = split(document)

    check_slices(document, found)
    assert [c.content.startswith("I. PAPER") for c in found] == [False, True, False][:chunks]
    assert found[0].content == words(14)
    assert [(c.meta["kind"], c.meta["headings"]) for c in found[1:]] == [("text", ["I. PAPER"])] * (chunks - 1)


def test_a_long_block_is_cut_at_sentence_ends_and_overlaps() -> None:
    sentences = [f"{words(8, f'{name}')}." for name in ("alpha", "bravo", "delta", "gamma", "sigma", "theta")]
    text = " ".join(sentences)
    document = record([("Short before.", {}), (text, {"anchor": "p2"}), ("Short after.", {})])

    chunks = split(document, max_tokens=40, min_tokens=15, overlap_tokens=10)

    check_slices(document, chunks)
    # The title takes 7 of 40 tokens (2 words, 5 digits and a stop, 2 for a long word); a sentence of 8 words takes 9.
    assert estimate_tokens("MPEP 608.01 Specification") == 7
    assert [estimate_tokens(sentence) for sentence in sentences] == [9] * 6
    assert [c.content for c in chunks] == [
        "Short before.",
        " ".join(sentences[0:3]),
        " ".join(sentences[2:5]),
        " ".join(sentences[4:6]),
        "Short after.",
    ]
    assert [c.meta["anchor"] for c in chunks] == ["", "p2", "p2", "p2", ""]


def test_an_overlap_never_makes_a_piece_without_anything_new() -> None:
    text = " ".join(f"{words(count, name)}." for count, name in ((8, "alpha"), (8, "bravo"), (30, "gamma"), (8, "x")))
    document = record([(text, {})])

    chunks = split(document, max_tokens=40, min_tokens=15, overlap_tokens=10)

    check_slices(document, chunks)
    ends = [c.meta["span"][1] for c in chunks]
    assert ends == sorted(set(ends))
    assert [c.content.split()[0] for c in chunks] == ["Alpha", "Gamma", "X"]


def test_overlaps_are_inside_cut_blocks_only() -> None:
    long = " ".join(f"{words(7, name)}." for name in ("alpha", "bravo", "delta", "gamma", "sigma", "theta"))
    document = record([(long, {}), (words(30), {}), (words(30), {}), (long, {})])
    blocks = [(b["start"], b["end"]) for b in document.meta["blocks"]]

    chunks = split(document, max_tokens=40, min_tokens=15, overlap_tokens=10)

    check_slices(document, chunks)
    overlapping = 0
    for first, second in itertools.pairwise(chunks):
        (start, end), (following, last) = first.meta["span"], second.meta["span"]
        if following < end:
            overlapping += 1
            assert any(a <= start and last <= b for a, b in blocks)
    assert overlapping == 2


def test_a_sentence_longer_than_a_chunk_is_cut_at_blanks_and_nothing_is_lost() -> None:
    text = " ".join(f"w{'x' * (n % 7)}" for n in range(200))
    document = record([(text, {})])

    chunks = split(document)

    check_slices(document, chunks)
    assert all(estimate_tokens(c.content) <= SIZES["max_tokens"] for c in chunks)
    covered = set().union(*(range(*c.meta["span"]) for c in chunks))
    assert {n for n, char in enumerate(text) if char != " "} <= covered
    assert all(word in set(text.split()) for c in chunks for word in c.content.split())


def test_text_without_blanks_is_cut_anyway() -> None:
    document = record([("a" * 2000, {})])

    chunks = split(document)

    check_slices(document, chunks)
    assert "".join(c.content for c in chunks) == "a" * 2000


def test_lines_are_the_blocks_of_a_record_without_structure() -> None:
    document = Document(id="note-7", content=f"  {words(21)}  \n\n{words(21)}\n", meta={"title": ""})

    chunks = split(document)

    check_slices(document, chunks)
    assert [c.content for c in chunks] == [words(21), words(21)]


@pytest.mark.parametrize("content", [None, "", "  \n "])
def test_a_record_without_text_is_found_by_its_title(content: str | None) -> None:
    meta = {"source": "MPEP", "section": "122", "number_label": "MPEP 122", "title": "[Reserved]", "blocks": []}

    [chunk] = split(Document(id="MPEP-122", content=content, meta=meta))

    assert (chunk.id, chunk.content, chunk.meta["span"]) == ("MPEP-122#1", "MPEP 122 [Reserved]", None)
    assert chunk.meta["self_ids"] == ["mpep:122"]
    assert chunk.meta["cites"] == []


def test_chunks_never_cross_records_and_records_are_passed_on() -> None:
    first = record([("One.", {})])
    second = Document(id="R2", content="Two.", meta={"title": "T", "source": "37_CFR", "section": "1.2"})

    answer = SectionSplitter(**SIZES).run(documents=[first, second])

    assert [(c.id, c.content) for c in answer["documents"]] == [("MPEP-608.01#1", "One."), ("R2#1", "Two.")]
    assert [(r.id, r.content) for r in answer["records"]] == [("MPEP-608.01", "One."), ("R2", "Two.")]
    assert all("blocks" not in r.meta for r in answer["records"])
    assert all(c.meta["order"] == r.meta["order"] + 1 for c, r in zip(*answer.values(), strict=True))
    assert "blocks" in first.meta


def test_ids_and_chunks_are_the_same_every_time() -> None:
    document = record([(" ".join(f"{words(8)}." for _ in range(9)), {}), (words(9), {})])

    assert split(document) == split(document)


@pytest.mark.parametrize(
    "sizes",
    [
        {"max_tokens": 80, "min_tokens": 80},
        {"min_tokens": 40, "overlap_tokens": 40},
        {"overlap_tokens": -1},
        {"max_tokens": 0},
    ],
)
def test_sizes_that_do_not_fit(sizes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="0 <= overlap_tokens < min_tokens < max_tokens"):
        SectionSplitter(**sizes)


def test_serialization(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("splitter", SectionSplitter(**SIZES))

    loaded = Pipeline.loads(pipeline.dumps())

    splitter = loaded.get_component("splitter")
    assert (splitter.max_tokens, splitter.min_tokens, splitter.overlap_tokens) == (40, 15, 8)
    answer = loaded.run({"splitter": {"documents": [record([("One.", {})])]}})
    assert [c.id for c in answer["splitter"]["documents"]] == ["MPEP-608.01#1"]
