"""English analysis: words, stems, pairs, protected citations and quoted phrases."""

import pytest

from components.analysis.analyzed_text import Token
from components.analysis.english import analyze_english, english_words, index_terms, stem


def test_a_text_keeps_its_stop_words_for_phrases_and_a_query_does_not() -> None:
    text, query = analyze_english("The claims are amended"), analyze_english("The claims are amended", query=True)

    assert text.terms("words") == ["the", "claims", "are", "amended"]
    assert query.terms("words") == ["claims", "amended"]
    assert text.terms("stems") == query.terms("stems") == ["claim", "amend"]
    assert text.terms("phrase") == ["claim_amend"]
    assert text.terms("no such stream") == []


def test_words_that_decide_in_law_are_kept() -> None:
    assert analyze_english("not only after or before, no", query=True).terms("words") == [
        "not",
        "only",
        "after",
        "before",
        "no",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The examiner's answer", ["the", "examiner", "answer"]),
        ("The examiner’s answer", ["the", "examiner", "answer"]),
        ("they don't", ["they", "dont"]),
        ("non-final", ["non", "final"]),
        ("ＰＡＴＥＮＴ", ["patent"]),
        ("version 3.5.1 of 12", ["version", "3.5.1", "of", "12"]),
        ("snake_case", ["snake", "case"]),
        ("35 U.S.C. 112(b) applies", ["usc:35:112(b)", "usc:35:112", "applies"]),
        ("MPEP § 608.01(o)", ["mpep:608.01(o)", "mpep:608.01", "mpep:608"]),
        (
            "35 U.S.C. 102 and 103",
            ["usc:35:102", "and", "usc:35:103"],
        ),
        ("", []),
        ("§ ... !", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert analyze_english(text).terms("words") == words
    assert [token.term for token in english_words(text)] == words


@pytest.mark.parametrize("text", ["35 USC 112 (b)", "35 U.S.C. § 112(b)", "３５ ＵＳＣ １１２（ｂ）"])
def test_spellings_of_a_citation_meet(text: str) -> None:
    assert analyze_english(text).terms("stems") == ["usc:35:112(b)", "usc:35:112"]


def test_offsets_point_into_the_original() -> None:
    text = "½ of the ﬁlms… under 35 U.S.C. § 112(b)™"

    tokens = analyze_english(text).tokens

    assert [(token.term, text[token.start : token.end]) for token in tokens["stems"]] == [
        ("1", "½"),
        ("2", "½"),
        ("film", "ﬁlms"),
        ("under", "under"),
        ("usc:35:112(b)", "35 U.S.C. § 112(b)"),
        ("usc:35:112", "35 U.S.C. § 112(b)"),
        ("tm", "™"),
    ]
    film = tokens["phrase"][2]
    assert (film.term, text[film.start : film.end]) == ("film_under", "ﬁlms… under")


@pytest.mark.parametrize(
    ("query", "identifiers", "words"),
    [
        ("103", ["mpep:103", "usc:35:103"], ["mpep:103", "usc:35:103"]),
        ("§ 2106", ["mpep:2106", "usc:35:2106"], ["mpep:2106", "usc:35:2106"]),
        ("112(b)", ["usc:35:112(b)"], ["usc:35:112(b)", "usc:35:112"]),
        ("the 103 files", [], ["103", "files"]),
        ("MPEP 103", ["mpep:103"], ["mpep:103"]),
    ],
)
def test_a_bare_number_has_all_its_readings(query: str, identifiers: list[str], words: list[str]) -> None:
    analysis = analyze_english(query, query=True)

    assert [found.canonical for found in analysis.identifiers] == identifiers
    assert analysis.terms("words") == words


@pytest.mark.parametrize(
    ("query", "identifiers", "words"),
    [
        (
            "608.01(o) and 2106",
            ["mpep:608.01(o)", "mpep:2106", "usc:35:2106"],
            ["mpep:608.01(o)", "mpep:608.01", "mpep:608", "mpep:2106", "usc:35:2106"],
        ),
        ("MPEP 103 through 105", ["mpep:103", "mpep:104", "mpep:105"], ["mpep:103", "mpep:104", "mpep:105"]),
        ("35 U.S.C. 112-114", ["usc:35:112", "usc:35:113", "usc:35:114"], ["usc:35:112", "usc:35:113", "usc:35:114"]),
        (
            "2022.01 - 2022.03",
            ["mpep:2022.01", "mpep:2022.02", "mpep:2022.03"],
            ["mpep:2022.01", "mpep:2022", "mpep:2022.02", "mpep:2022", "mpep:2022.03", "mpep:2022"],
        ),
        # A heading's number may look like a range; that of a document is none.
        (
            "2107-2108",
            ["mpep:2107-2108", "mpep:2107", "usc:35:2107", "mpep:2108", "usc:35:2108"],
            ["mpep:2107-2108", "mpep:2107", "usc:35:2107", "mpep:2108", "usc:35:2108"],
        ),
        ("2024-12345", ["fr:2024-12345"], ["fr:2024-12345"]),
        ("2024-1234", ["mpep:2024-1234", "fr:2024-1234"], ["mpep:2024-1234", "fr:2024-1234"]),
        # With more in the query, ranges of citations alone.
        (
            "compare rules 1.75 to 1.77 for 12 claims",
            ["cfr:37:1.75", "cfr:37:1.76", "cfr:37:1.77"],
            ["compare", "cfr:37:1.75", "cfr:37:1.76", "cfr:37:1.77", "12", "claims"],
        ),
        ("100-9999999", [], ["100", "9999999"]),
        ("2024-01-15", [], ["2024", "01", "15"]),
        ("6,123,456", [], ["6", "123", "456"]),
    ],
)
def test_a_series_of_numbers_has_all_that_it_names(query: str, identifiers: list[str], words: list[str]) -> None:
    analysis = analyze_english(query, query=True)

    assert [found.canonical for found in analysis.identifiers] == identifiers
    assert analysis.terms("words") == words
    assert all(0 <= found.start < found.end <= len(query) for found in analysis.identifiers)


def test_a_range_in_a_text_has_its_ends_alone() -> None:
    assert analyze_english("See 35 U.S.C. 112-114.").terms("words") == ["see", "usc:35:112", "usc:35:114"]


def test_a_bare_number_in_a_text_is_only_a_number() -> None:
    assert analyze_english("103").identifiers == ()
    assert analyze_english("103").terms("words") == ["103"]


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ('"new matter" in drawings', [["new", "matter"]]),
        ("“new matter” in drawings", [["new", "matter"]]),
        ('"right of the public to inspect"', [["right", "of", "the", "public", "to", "inspect"]]),
        ('"new matter" or "public use"', [["new", "matter"], ["public", "use"]]),
        ('"rejected under 35 U.S.C. 101"', [["rejected", "under", "usc:35:101"]]),
        ('claim "A" and the "broad widget"', [["a"], ["broad", "widget"]]),
        ('a 5" pipe and a 3" pipe', []),
        ('an open " quote', []),
        ('nothing in "" or " "', []),
        ("it's 'single' quoted", []),
    ],
)
def test_quoted_phrases_of_a_query(query: str, phrases: list[list[str]]) -> None:
    assert analyze_english(query, query=True).phrases == tuple(map(tuple, phrases))
    assert analyze_english(query).phrases == ()


def test_quotes_in_long_queries_are_punctuation() -> None:
    short = '"new matter" ' + "word " * 30
    long = '"new matter" ' + "word " * 31

    assert analyze_english(short, query=True).phrases == (("new", "matter"),)
    assert analyze_english(long, query=True).phrases == ()


def test_index_terms_are_those_of_the_analysis() -> None:
    text = "The rejected claims cite 35 U.S.C. 112(b), not the rule."

    terms = index_terms(token.term for token in english_words(text))

    assert terms == {name: analyze_english(text).terms(name) for name in ("words", "stems", "phrase")}
    assert terms["phrase"][:2] == ["reject_claim", "claim_cite"]


@pytest.mark.parametrize(("word", "stemmed"), [("claims", "claim"), ("rejecting", "reject"), ("mpep", "mpep")])
def test_stem(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


def test_a_pipeline_hands_an_analysis_on_without_copying_it() -> None:
    from copy import deepcopy

    analysis = analyze_english("claims")

    assert deepcopy(analysis) is analysis
    assert analysis.tokens["words"] == (Token("claims", 0, 6),)
