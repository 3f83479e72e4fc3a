"""get_mpep_section over an index of the samples."""

import re
from typing import Any

import pytest

from pipelines.errors import ArgumentError
from pipelines.mpep import MpepSearch

METADATA = {
    *("source", "file", "page", "section", "has_statute", "has_mpep_ref", "has_rule_ref"),
    *("is_statute", "is_regulation", "is_update"),
}
TO_2107 = ["2107", "2107.01", "2107.02"]
NOTICE = {"doc_type", "fr_citation", "effective_date"}


def sections(answer: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(chunk["metadata"]["section"] for chunk in answer["chunks"]))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("608.01(o)", ["608.01(o)"]),
        ("MPEP § 608.01(o)", ["608.01(o)"]),
        ("608.01 (o)", ["608.01(o)"]),
        (" ６０８．０１（ｏ） ", ["608.01(o)"]),
        (
            "608.01",
            ["608.01", "608.01(a)", "608.01(b)", "608.01(i)", "608.01(n)", "608.01(o)", "608.01(p)"],
        ),
        ("MPEP 2106.04", ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ("2106.04.", ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ('"2106.04"', ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ("§ 2107", ["2107", "2107.01", "2107.02"]),
        ("100", ["101", "103", "103.01", "106", "106.01", "120", "122-129"]),
        ("1000", ["1002", "1002.02(c)"]),
        ("MPEP chapter 700", ["706", "706.02", "706.03", "706.03(a)", "706.07", "706.07(a)"]),
        ("125", ["122-129"]),
        ("122-129", ["122-129"]),
        ("103", ["103", "103.01"]),
        ("35 U.S.C. 103", ["103"]),
        ("112", ["112"]),
        ("37 CFR 1.136", ["1.136"]),
        ("1.136", ["1.136"]),
        ("rule 1.136", ["1.136"]),
        ("Rule 136", ["1.136"]),
        ("USC 103", ["103"]),
        ("608.01o", ["608.01(o)"]),
        ("MPEP-608.01(o)#2", ["608.01(o)"]),
        ("¶ 7.44", ["608.01(o)"]),
        ("form paragraph 7.44", ["608.01(o)"]),
        ("2030-90011", ["2030-90011"]),
    ],
)
def test_a_section_in_document_order(search: MpepSearch, number: str, expected: list[str]) -> None:
    answer = search.section(number)

    assert set(answer) == {"section", "total_chunks", "chunks"}
    assert answer["section"] == number.strip()
    assert answer["total_chunks"] == len(answer["chunks"])
    assert sections(answer)[: len(expected)] == expected
    if "chapter" not in number:
        assert sections(answer) == expected
    for chunk in answer["chunks"]:
        assert set(chunk) == {"text", "metadata"}
        assert set(chunk["metadata"]) == (METADATA | NOTICE if chunk["metadata"]["is_update"] else METADATA)
        assert chunk["text"]


def test_chunks_are_in_order_and_counted_beyond_the_limit(search: MpepSearch) -> None:
    whole = search.section("2100")
    start = search.section("2100", max_chunks=3)

    assert whole["total_chunks"] == start["total_chunks"] == len(whole["chunks"]) > 30
    assert start["chunks"] == whole["chunks"][:3]
    places = [(c["metadata"]["section"], c["metadata"]["page"]) for c in whole["chunks"]]
    assert len(set(places)) == len(places)
    assert {c["metadata"]["section"][:2] for c in whole["chunks"]} == {"21"}
    for section in {section for section, _ in places}:
        pages = [page for name, page in places if name == section]
        assert pages == list(range(1, len(pages) + 1))


def test_a_section_without_text_has_its_title(search: MpepSearch) -> None:
    answer = search.section("MPEP 122")

    assert answer["total_chunks"] == 1
    assert answer["chunks"][0]["text"] == "122-129 [Reserved]"


@pytest.mark.parametrize(
    ("number", "found"), [("122", ("35_USC", "122")), ("122-129", ("MPEP", "122-129")), ("125", ("MPEP", "122-129"))]
)
def test_a_heading_that_keeps_a_number_free_comes_behind_what_has_it(search: MpepSearch, number: str, found) -> None:
    first = search.section(number)["chunks"][0]["metadata"]

    assert (first["source"], first["section"]) == found


@pytest.mark.parametrize(
    "asked",
    [
        "35 U.S.C. 981 (pre-AIA)",
        "35 U.S.C. 981 (pre-aia)",
        "35 U.S.C. 981 (PRE‐AIA)",
        "pre-AIA 35 U.S.C. 981",
        "Pre-AIA 35 USC § 981",
        "35 U.S.C. 981 pre-AIA",
        "35 U.S.C. 981, pre-AIA",
    ],
)
def test_former_law_is_given_only_when_asked_for(search: MpepSearch, asked: str) -> None:
    former = search.section(asked)
    current = search.section("35 U.S.C. 981")

    assert (former["total_chunks"], current["total_chunks"]) == (1, 3)
    assert former["chunks"][0] not in current["chunks"]


def test_what_exists_in_a_variant_alone_is_given_without_it(search: MpepSearch) -> None:
    assert search.section("35 U.S.C. 982") == {**search.section("35 U.S.C. 982 (note)"), "section": "35 U.S.C. 982"}


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        # Lists, in document order however they are given.
        ("608.01(o) and 2107.01", ["608.01(o)", "2107.01"]),
        ("MPEP 2107.01, 608.01(o)", ["608.01(o)", "2107.01"]),
        ("101, 103 and 2107.02", ["101", "103", "103.01", "2107.02"]),
        ("37 CFR 1.75 and MPEP 608.01(o)", ["608.01(o)", "1.75"]),
        ("2030-90011 and 2031-90007", ["2030-90011", "2031-90007"]),
        ("35 U.S.C. 102 and 103", ["102", "103"]),
        # Ranges, with all that is printed between the ends and the parts of the last.
        ("§§ 2106.04-2107", ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)", "2106.05", *TO_2107]),
        ("2106.05-2107", ["2106.05", *TO_2107]),
        ("MPEP §§ 2106.03–2106.04", ["2106.03", "2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ("608.01(n) through 608.01(p)", ["608.01(n)", "608.01(o)", "608.01(p)"]),
        ("706-706.03(a)", ["706", "706.02", "706.03", "706.03(a)"]),
        ("37 CFR 1.75 to 1.97", ["1.75", "1.77", "1.81", "1.97"]),
        ("1.75-1.77", ["1.75", "1.77"]),
        ("35 U.S.C. 102-112", ["102", "103", "111", "112"]),
        ("110-112", ["111", "112"]),
        ("104 to 125", ["106", "106.01", "120", "122-129"]),
        ("125-200", ["122-129", "211", "211.01", "211.01(a)", "211.01(b)"]),
        ("37 CFR 1.75-1.77 and MPEP 2107.01-2107.02", ["2107.01", "2107.02", "1.75", "1.77"]),
    ],
)
def test_several_sections_in_document_order(search: MpepSearch, number: str, expected: list[str]) -> None:
    answer = search.section(number)

    assert sections(answer) == expected
    assert answer["total_chunks"] == len(answer["chunks"])
    assert "missing" not in answer
    first = search.section(number, max_chunks=1)
    assert (first["total_chunks"], first["chunks"]) == (answer["total_chunks"], answer["chunks"][:1])


def test_a_variant_holds_for_all_numbers(search: MpepSearch) -> None:
    former = search.section("pre-AIA 35 U.S.C. 980-981")

    assert former["chunks"] == search.section("35 U.S.C. 981 (pre-AIA)")["chunks"]


@pytest.mark.parametrize(
    ("number", "expected", "missing"),
    [
        ("608.01(o), 9999 and 37 CFR 1.999", ["608.01(o)"], ["9999", "37 CFR 1.999"]),
        ("2107.01 and 9998-9999", ["2107.01"], ["9998-9999"]),
        ("¶¶ 7.44 and 9.99", ["608.01(o)"], ["9.99"]),
    ],
)
def test_what_of_a_list_is_missing_is_named(
    search: MpepSearch, number: str, expected: list[str], missing: list[str]
) -> None:
    answer = search.section(number)

    assert (sections(answer), answer["missing"]) == (expected, missing)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("2107-2106", "section_number: '2107 to 2106' is not allowed; it must be a range of one kind from its lower"),
        ("MPEP 2107-2106", "'2107 to 2106' is not allowed; it must be a range"),
        ("35 U.S.C. 114-112", "'114 to 112' is not allowed; it must be a range"),
        ("MPEP 2106 to 37 CFR 1.75", "'2106 to 1.75' is not allowed; it must be a range"),
        ("¶¶ 7.44-7.46", "'7.44 to 7.46' is not allowed; it must be a range"),
        ("100-9999999", "'100-9999999' is not allowed; it must be a section number such as"),
        ("MPEP 100-9999999", "'MPEP 100-9999999' is not allowed; it must be a section number such as"),
        ("2024-01-15", "'2024-01-15' is not allowed; it must be a section number such as"),
        ("6,123,456", "'6,123,456' is not allowed; it must be a section number such as"),
        ("571-272-1000", "'571-272-1000' is not allowed; it must be a section number such as"),
        (", ".join(map(str, range(101, 122))), "at most 20 numbers or ranges at a time"),
    ],
)
def test_lists_and_ranges_that_can_not_be_given(search: MpepSearch, number: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        search.section(number)


@pytest.mark.parametrize(
    "number",
    [
        "9999",
        "9998 and 9999",
        "9990-9999",
        "2024-1234",
        "608.01(z)",
    ],
)
def test_unknown_sections(search: MpepSearch, number: str) -> None:
    assert search.section(number) == {"error": f"No content found for MPEP section {number}"}


@pytest.mark.parametrize("number", ["35 U.S.C. 399", "37 CFR 1.999", "35 USC 398 and 399", "¶ 9.99", "2099-99999"])
def test_what_can_be_no_section_of_the_mpep_is_not_called_one(search: MpepSearch, number: str) -> None:
    assert search.section(number) == {"error": f"No content found for {number}"}


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("", "''"),
        ("  ", "'  '"),
        ("claims", "'claims'"),
        ("§", "'§'"),
        ("1" * 201, "11"),
        (None, "null"),
        (608, "608"),
    ],
)
def test_malformed_sections_say_what_is_right(search: MpepSearch, number: Any, shown: str) -> None:
    with pytest.raises(ArgumentError, match=r'it must be a section number such as "608\.01\(o\)"') as raised:
        search.section(number)

    assert shown in str(raised.value)


@pytest.mark.parametrize("max_chunks", [0, -1, True, "5", 1.5, 1001])
def test_max_chunks(search: MpepSearch, max_chunks: Any) -> None:
    with pytest.raises(ArgumentError, match="max_chunks"):
        search.section("2106", max_chunks=max_chunks)
    assert search.section("2106", max_chunks=1000)["total_chunks"] > 1
