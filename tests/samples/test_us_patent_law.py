"""The sample corpus is in the official formats, marked as our own writing, and answers its own questions."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
from haystack.dataclasses import ByteStream

from components.converters.ecfr_xml import ECFRConverter
from components.converters.federal_register import FederalRegisterConverter
from components.converters.mpep_html import MpepHtmlConverter
from components.converters.recognition import recognize_us_patent_law
from components.converters.uslm_xml import USLMConverter
from pipelines.corpora import get_corpus

SAMPLES = Path(__file__).parents[2] / "samples/us_patent_law"
QUESTIONS = SAMPLES.with_name("us_patent_law_questions")
MARK = "Sample text written for Tansaku, not the official text."
CONVERTERS = {
    "mpep_html": MpepHtmlConverter(),
    "uslm_xml": USLMConverter(),
    "ecfr_xml": ECFRConverter(),
    "federal_register": FederalRegisterConverter(),
}


@pytest.fixture(scope="module")
def files():
    found = []
    for path in sorted(SAMPLES.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found.append((path, data, recognize_us_patent_law(data, path.name).kind))
    return found


@pytest.fixture(scope="module")
def documents(files):
    found = {}
    for path, data, kind in files:
        if kind in CONVERTERS:
            result = CONVERTERS[kind].run(sources=[ByteStream(data, meta={"origin": path.name, "file": path.name})])
            assert result["failures"] == []
            found.update({document.id: document for document in result["documents"]})
    return found


def test_every_file_is_recognised(files):
    kinds = Counter(kind for _, _, kind in files)
    assert kinds.pop("mpep_html") >= 25
    assert kinds == {
        "mpep_contents": 3,
        "uslm_xml": 1,
        "ecfr_xml": 1,
        "federal_register": 4,
    }


def test_questions_are_not_indexed_with_the_corpus():
    assert not QUESTIONS.is_relative_to(get_corpus("us-patent-law").samples)
    kinds = {path.name: recognize_us_patent_law(path.read_bytes(), path.name).kind for path in QUESTIONS.iterdir()}
    assert kinds == {"corpus.jsonl": "beir", "queries.jsonl": "evaluation", "qrels.tsv": "evaluation"}


def test_every_source_and_record_says_that_it_is_a_sample(files, documents):
    assert all(MARK.encode() in data for _, data, _ in files)
    unmarked = [d.id for d in documents.values() if MARK not in d.content and len(d.content) > 60]
    assert unmarked == []


@pytest.mark.parametrize(
    "source_id",
    ["MPEP-2106", "MPEP-2106.04(a)(2)", "MPEP-608.01(o)", "MPEP-608.01(p)", "MPEP-706.03(a)", "MPEP-2163", "MPEP-2143"]
    + [f"35USC-{number}" for number in (101, 102, 103, 111, 112, 119, 120, 122, 131, 132, 154, 282)]
    + [f"37CFR-1.{number}" for number in (52, 53, 56, 71, 72, 75, 77, 81, 97, 98, 111, 116, 131, 136, 181)]
    + ["FR-2030-90011", "FR-2031-90007"],
)
def test_records(documents, source_id):
    assert source_id in documents


def test_all_kinds_of_blocks_occur(documents):
    kinds = {block["kind"] for document in documents.values() for block in document.meta["blocks"]}
    assert kinds >= {"text", "heading", "form_paragraph", "table", "list", "example", "quote_rule", "note"}


def test_questions_are_judged_on_records_that_exist(documents):
    corpus = [json.loads(line) for line in (QUESTIONS / "corpus.jsonl").read_text("utf-8").splitlines()]
    queries = [json.loads(line) for line in (QUESTIONS / "queries.jsonl").read_text("utf-8").splitlines()]
    with (QUESTIONS / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        qrels = list(csv.reader(file, delimiter="\t"))
    assert {entry["id"] for entry in corpus} == set(documents)
    assert len(queries) >= 25 and {query["id"] for query in queries} == {row[0] for row in qrels}
    assert {row[1] for row in qrels} <= set(documents)
