"""Citations as queries spell them; texts are not read so."""

import pytest

from components.analysis.english import analyze_english
from components.analysis.folding import fold
from components.analysis.legal_citations import find_citations
from components.analysis.query_citations import find_query_citations


@pytest.mark.parametrize(
    ("query", "identifiers"),
    [
        ('"2106"', ["mpep:2106", "usc:35:2106"]),
        ("“2106”", ["mpep:2106", "usc:35:2106"]),
        ('what does "2106" say', ["mpep:2106", "usc:35:2106"]),
        ('"112"', ["mpep:112", "usc:35:112"]),
        ('"1.131"', ["cfr:37:1.131", "fp:1.131"]),
        ('"7.05.01"', ["fp:7.05.01"]),
        ('"2106" "2107"', ["mpep:2106", "usc:35:2106", "mpep:2107", "usc:35:2107"]),
        ('MPEP "2106"', ["mpep:2106"]),
        ('"35 U.S.C. 112(b)"', ["usc:35:112(b)"]),
        ("2106 2106", ["mpep:2106", "usc:35:2106"]),
        ("10 10", ["usc:35:10"]),
    ],
)
def test_a_quoted_or_repeated_number_is_what_it_names_and_no_phrase(query: str, identifiers: list[str]) -> None:
    analysis = analyze_english(query, query=True)

    assert [found.canonical for found in analysis.identifiers] == identifiers
    assert analysis.phrases == ()
    assert analysis.text == query


def test_other_quotes_stay_phrases() -> None:
    analysis = analyze_english('"new matter" under "35 USC 132"', query=True)

    assert analysis.phrases == (("new", "matter"),)
    assert [found.canonical for found in analysis.identifiers] == ["usc:35:132"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Rule 131", ["cfr:37:1.131"]),
        ("rule 132 declaration", ["cfr:37:1.132"]),
        ("evidence, rule 132 evidence", ["cfr:37:1.132"]),
        ("EPC Rule 43", []),
        ("Rule 56", ["cfr:37:1.56"]),
        ("under Rule 131(a)", ["cfr:37:1.131(a)"]),
        ("rules 131 and 132", ["cfr:37:1.131", "cfr:37:1.132"]),
        ("rule 1.131", ["cfr:37:1.131"]),
        ("PCT Rule 26", ["pct:rule:26"]),
        ("Rule 26 of the PCT", []),
        ("Fed. R. Civ. P. 56", []),
        ("Federal Rule 56", []),
        ("Rule 56 of the Federal Rules", []),
        ("rule 1000", []),
        ("USC 112", ["usc:35:112"]),
        ("18 USC 1001", ["usc:18:1001"]),
        ("MPEP § 2106.04(a)(2)(I)", ["mpep:2106.04(a)(2)"]),
        ("2106.04(a)(2)(III)(C)", ["mpep:2106.04(a)(2)"]),
        ("608.01(o)", ["mpep:608.01(o)"]),
        ("MPEP chapter 2100", ["mpep:2100"]),
        ("chapter 2100", ["mpep:2100"]),
        ("chapter 2100 of the MPEP", ["mpep:2100"]),
        ("112, sixth paragraph", ["usc:35:112(f)"]),
        ("35 U.S.C. 112, 2nd paragraph", ["usc:35:112(b)"]),
        ("rejected under § 112, ¶ 6", ["usc:35:112(f)"]),
        ("section 112 para. 1 and 112 second paragraph", ["usc:35:112(a)", "usc:35:112(b)"]),
        ("112 sixth", []),
        ("35 U.S.C. 103 first paragraph", ["usc:35:103"]),
        ("what does MPEP § 608.01o say", ["mpep:608.01(o)"]),
        ("a mass of 100.05g", []),
        ("100.50kg", []),
        ("MPEP-608.01(o)#3", ["mpep:608.01(o)"]),
        ("35USC-112", ["usc:35:112"]),
        ("37CFR-1.131#2", ["cfr:37:1.131"]),
        ("FR-2024-02623", ["fr:2024-02623"]),
    ],
)
def test_what_a_query_cites(query: str, expected: list[str]) -> None:
    assert [found.canonical for found in find_query_citations(fold(query))] == expected


@pytest.mark.parametrize(
    "text", ["Rule 132", "USC 112", "chapter 2100", "2106.04(a)(2)(III)(C)", "608.01o", "35USC-112"]
)
def test_a_text_cites_nothing_so(text: str) -> None:
    assert find_citations(text) == []
    assert analyze_english(text).identifiers == ()


def test_rule_26_3bis_is_read_as_in_texts() -> None:
    assert find_query_citations(fold("Rule 26.3bis")) == find_citations("Rule 26.3bis")
