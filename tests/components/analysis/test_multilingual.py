"""Token streams of Japanese, English and Korean text."""

import csv
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from haystack import Document, Pipeline

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.folding import fold
from components.analysis.japanese import JapaneseTokenizer, bigrams, pieces, word_key
from components.analysis.multilingual import MultilingualAnalysis
from components.analysis.query_analyzer import QueryAnalyzer
from components.analysis.sudachi_normalizer import SudachiNormalizer
from tests.shared_data import shared_data


@pytest.fixture(scope="module")
def analysis() -> MultilingualAnalysis:
    return MultilingualAnalysis()


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("お盆休みの予定", "ja", ["盆休み", "予定"]),
        ("サーバー障害", "ja", ["サーバ", "障害"]),
        ("ｻｰﾊﾞ障害", "ja", ["サーバ", "障害"]),
        ("サーバ障害", "ja", ["サーバ", "障害"]),
        ("ビール", "ja", ["ビール"]),
        ("ビル", "ja", ["ビル"]),
        ("打合せをする", "ja", ["打ち合わせ"]),
        ("ＥＶ－２０２４－００１の進捗", "ja", ["id:ev-2024-001", "進捗"]),
        ("The user's files", "en", ["the", "user", "files"]),
        ("특허 검색, 방법", "ko", ["특허", "검색", "방법"]),
        ("。、！", "ja", []),
        ("", "ja", []),
    ],
)
def test_words(analysis: MultilingualAnalysis, text: str, language: str, words: list[str]) -> None:
    assert analysis.analyze(text, language).terms("words") == words


def test_streams_of_a_japanese_text(analysis: MultilingualAnalysis) -> None:
    text = "ミーティングの資料"
    found = analysis.analyze(text, "ja")

    assert found.terms("bigrams") == ["ミー", "ーテ", "ティ", "ィン", "ング", "グの", "の資", "資料"]
    assert found.terms("phrase")[:2] == ["ミーテ", "ーティ"]
    assert [text[t.start : t.end] for t in found.tokens["words"]] == ["ミーティング", "資料"]
    # 打ち合わせ is in the same group of the dictionary.
    assert set(found.terms("synonyms")) & set(analysis.analyze("打合せ", "ja").terms("synonyms")) == {"s:813"}


def test_streams_of_an_english_text(analysis: MultilingualAnalysis) -> None:
    found = analysis.analyze("the users of EV-2024-001 files", "en", query=True)

    assert found.terms("words") == ["users", "id:ev-2024-001", "files"]
    assert found.terms("stems") == ["user", "id:ev-2024-001", "file"]
    assert found.terms("phrase") == ["user_id:ev-2024-001", "id:ev-2024-001_file"]


def test_quoted_phrases_are_those_of_queries(analysis: MultilingualAnalysis) -> None:
    assert analysis.analyze('"サーバー障害" 報告', "ja", query=True).phrases == (("サーバ", "障害"),)
    assert analysis.analyze('"サーバー障害" 報告', "ja").phrases == ()


@pytest.mark.parametrize(
    ("form", "key"),
    [
        ("サーバー", "サーバ"),
        ("ヴァイオリン", "バイオリン"),
        ("ウェーティング", "ウエーテイング"),
        ("ビール", "ビール"),
        ("コピー", "コピー"),
        ("Excel", "excel"),
    ],
)
def test_spellings_of_loan_words(form: str, key: str) -> None:
    assert word_key(form) == key


def test_bigrams_stay_within_runs() -> None:
    assert [t.term for t in bigrams(fold("電池 の abc 한글"))] == ["電池", "の", "한글"]


def test_long_texts_are_cut_at_safe_places(analysis: MultilingualAnalysis) -> None:
    text = "電池を交換した。" * 4000  # 96,000 bytes, twice what Sudachi takes

    found = analysis.analyze(text, "ja").tokens["words"]

    assert len(found) == 2 * 4000
    assert all(text[token.start : token.end] == ("電池", "交換")[place % 2] for place, token in enumerate(found))
    assert [piece for _, piece in pieces("雨。風。", 9)] == ["雨。", "風。"]
    assert "".join(piece for _, piece in pieces("あ" * 50, 10)) == "あ" * 50


def test_threads_get_the_same(analysis: MultilingualAnalysis) -> None:
    texts = [f"サーバー{number}号機の障害報告" for number in range(200)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: analysis.analyze(text, "ja").terms("words"), texts))

    assert found == [["サーバ", str(number), "号", "機", "障害", "報告"] for number in range(200)]


def test_settings_that_are_wrong() -> None:
    with pytest.raises(ValueError, match="mode must be one of A, B, C, not 'D'"):
        JapaneseTokenizer("D")
    with pytest.raises(ValueError, match="there is no Sudachi user dictionary '/none'"):
        JapaneseTokenizer(user_dictionary="/none")


def _keys(analyzed: AnalyzedText) -> set[str]:
    return {*analyzed.terms("words"), *analyzed.terms("synonyms")}


@pytest.mark.parametrize(("kind", "share"), [("variant", 0.85), ("alphabet", 0.7)])
def test_spelling_variants_share_a_word_or_group(analysis: MultilingualAnalysis, kind: str, share: float) -> None:
    path = shared_data("nlp", "sudachi_synonyms", "variants.tsv")
    own = {"variant": [("サーバー", "ｻｰﾊﾞ"), ("打合せ", "打ち合わせ")], "alphabet": [("サーバー", "server")]}
    pairs = own[kind]
    if path:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader(lines, delimiter="\t")
            pairs = [(row["canonical"], row["variant"]) for row in rows if row["kind"] == kind]
    keys = {text: _keys(analysis.analyze(text, "ja")) for pair in pairs for text in pair}

    assert sum(bool(keys[a] & keys[b]) for a, b in pairs) / len(pairs) >= share
    if path:
        words = sorted(keys)
        unrelated = [random.Random(seed).sample(words, 2) for seed in range(300)]
        assert sum(bool(keys[a] & keys[b]) for a, b in unrelated) < 0.02 * 300


def test_documents_get_streams_and_identifiers() -> None:
    chunk = Document(
        id="a#1",
        content="EV-2024-010と比べる。",
        meta={"title": "EV-2024-001 報告", "language": "ja", "project_id": "EV-2024-001"},
    )

    found = SudachiNormalizer().run(documents=[chunk], records=[chunk])
    meta, record = found["documents"][0].meta, found["records"][0].meta

    assert meta["index"]["words"] == "id:ev-2024-010 比べる"
    assert meta["index"]["title"] == "id:ev-2024-001 報告"
    assert meta["index"]["phrase"].split() == ["と比べ", "比べる"]
    assert (meta["self_ids"], meta["cites"]) == (["id:ev-2024-001"], ["id:ev-2024-010"])
    assert meta["identifiers"] == ["id:ev-2024-001", "id:ev-2024-010"]
    assert record["title_terms"] == ["id:ev-2024-001", "報告"]
    assert "phrase" not in record["index"]


def test_queries_and_their_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("analyzer", QueryAnalyzer(mode="C"))
    pipeline = Pipeline.loads(pipeline.dumps())

    answer = pipeline.run({"analyzer": {"query": "有休の申請", "language": "ja", "variants": ["年休の申請"]}})[
        "analyzer"
    ]

    assert answer["texts"] == ["有休の申請", "年休の申請"]
    assert answer["analysis"] is answer["analyses"][0]
    assert [a.text for a in answer["analyses"]] == answer["texts"]


def test_variants_are_read_in_their_own_language() -> None:
    answer = QueryAnalyzer().run(query="MTG", language="en", variants=["打ち合わせ"])

    assert [each.language for each in answer["analyses"]] == ["en", "ja"]
    assert answer["language"] is None
    assert QueryAnalyzer().run(query="MTG", language="en")["language"] == "en"


def test_words_alone(analysis: MultilingualAnalysis) -> None:
    whole, alone = (analysis.analyze("サーバ障害の報告", "ja", words_alone=wanted).tokens for wanted in (False, True))

    assert {name: whole[name] for name in ("words", "stems", "synonyms")} == {
        name: alone[name] for name in ("words", "stems", "synonyms")
    }
    assert (alone["bigrams"], alone["phrase"]) == ((), ())
