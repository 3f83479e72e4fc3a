"""The token streams that chunks and records get."""

import pytest
from haystack import Document, Pipeline

from components.analysis.english_normalizer import EnglishNormalizer


def test_docstring_example() -> None:
    chunk = Document(id="MPEP-101#1", content="Applications are examined.", meta={"title": "General"})

    [result] = EnglishNormalizer().run(documents=[chunk])["documents"]

    assert result.meta["index"] == {
        "words": "applications are examined",
        "stems": "applic examin",
        "title": "general",
        "title_stems": "general",
        "phrase": "applic_examin",
    }
    assert result.meta["language"] == "en"
    assert (result.id, result.content) == (chunk.id, chunk.content)
    assert "index" not in chunk.meta


def test_pairs_of_the_title_come_first_and_its_number_is_in_it() -> None:
    meta = {"title": "Drawing Sheets", "number_label": "MPEP 608.02", "language": "ja"}

    [result] = EnglishNormalizer().run(documents=[Document(content="Black lines only.", meta=meta)])["documents"]

    assert result.meta["index"]["title"] == "mpep:608.02 mpep:608 drawing sheets"
    assert result.meta["index"]["title_stems"] == "mpep:608.02 mpep:608 draw sheet"
    assert result.meta["index"]["phrase"] == ("mpep:608.02_mpep:608 mpep:608_draw draw_sheet black_line line_onli")
    assert result.meta["language"] == "ja"


def test_chunks_get_their_slice_of_the_record() -> None:
    text = "½ of the sheets are black. See 35 U.S.C. 112(b). The others are white."
    record = Document(id="R", content=text, meta={"title": "T"})
    cuts = [(0, 26), (27, 48), (49, len(text))]
    chunks = [
        Document(id=f"R#{n}", content=text[a:b], meta={"title": "T", "source_id": "R", "span": [a, b]})
        for n, (a, b) in enumerate(cuts, start=1)
    ]

    result = EnglishNormalizer().run(documents=chunks, records=[record])

    assert [d.meta["index"]["words"] for d in result["documents"]] == [
        "1 2 of the sheets are black",
        "see usc:35:112(b) usc:35:112",
        "the others are white",
    ]
    alone = EnglishNormalizer().run(documents=[Document(content=c.content, meta={"title": "T"}) for c in chunks])
    assert [d.meta["index"] for d in alone["documents"]] == [d.meta["index"] for d in result["documents"]]
    [whole] = result["records"]
    assert (
        whole.meta["index"]["words"].split() == " ".join(d.meta["index"]["words"] for d in result["documents"]).split()
    )
    assert "phrase" not in whole.meta["index"]
    assert all("span" not in d.meta for d in result["documents"])


@pytest.mark.parametrize("content", [None, "", "…!"])
def test_a_text_without_words_has_the_title_alone(content: str | None) -> None:
    [result] = EnglishNormalizer().run(documents=[Document(content=content, meta={"title": "[Reserved]"})])["documents"]

    words = {name: terms for name, terms in result.meta["index"].items() if name != "phrase"}
    assert words == {"title": "reserved", "title_stems": "reserv"}


def test_serialization(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("normalizer", EnglishNormalizer())

    loaded = Pipeline.loads(pipeline.dumps())

    answer = loaded.run({"normalizer": {"documents": [Document(content="Claims")]}})
    assert answer["normalizer"]["documents"][0].meta["index"] == {"words": "claims", "stems": "claim"}
