"""`tansaku search` and `tansaku section` over the samples."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from cli.output import DONE, FAILED, WRONG_USE

runner = CliRunner()


def run(*arguments: str) -> tuple[int, str, str]:
    result = runner.invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_results_for_people(sample_data: Any) -> None:
    code, output, errors = run("search", "us-patent-law", "608.01(o)", "--top-k", "2")

    assert (code, errors) == (DONE, "")
    assert "1. MPEP > " in output
    assert "608.01(o) Basis for Claim Terminology in Description  R-01.2030" in output
    assert "MPEP-608.01(o)#1  relevance 1.000" in output
    assert "rank by keyword" in output
    assert "2. MPEP > " in output
    assert "2 passages in " in output


def test_json_alone_on_standard_output(sample_data: Any) -> None:
    code, output, errors = run(
        *("search", "us-patent-law", "abstract ideas", "-k", "3", "--retrieve-k", "20"),
        *("--source", "35_USC", "--statute", "--no-regulation", "--no-update", "--json"),
    )

    answer = json.loads(output)
    assert (code, errors, answer["query"], answer["degraded"]) == (DONE, "", "abstract ideas", [])
    assert [hit["source"] for hit in answer["results"]] == ["35_USC"] * 3


@pytest.mark.parametrize(
    ("arguments", "sources"),
    [
        (["--update"], {"SUBSEQUENT"}),
        (["--regulation"], {"37_CFR"}),
        (["--no-statute", "--no-regulation", "--no-update"], {"MPEP"}),
    ],
)
def test_flags(sample_data: Any, arguments: list[str], sources: set[str]) -> None:
    _, output, _ = run("search", "us-patent-law", "time for reply", *arguments, "--json")

    assert {hit["source"] for hit in json.loads(output)["results"]} == sources


def test_without_vectors_a_warning_says_so(keyword_index: Any) -> None:
    code, output, errors = run("search", "us-patent-law", "time for reply", "-k", "1")

    assert (code, errors) == (DONE, "warning: this answer was made without: vector\n")
    assert "1 passage in " in output


def test_the_warning_is_told_once(keyword_index: Any, caplog: pytest.LogCaptureFixture) -> None:
    run("search", "us-patent-law", "time for reply", "-k", "1")

    assert caplog.messages == []


def test_what_overrides_and_what_is_rescinded(sample_data: Any) -> None:
    _, output, _ = run("search", "us-patent-law", "MPEP 2106.04(a)(2)", "-k", "4")

    assert "overrides: MPEP 2106, MPEP 2106.04(a)(2)\n" in output
    assert "rescinded by: 2031-90007\n" in output


def test_nothing_found(sample_data: Any) -> None:
    assert run("search", "us-patent-law", '"no such words at all"') == (DONE, "Nothing found.\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "us-patent-law", "ab"], "query: 'ab' is not allowed; it must be a text of 3 to 10,000 characters"),
        (
            ["search", "us-patent-law", "claims", "-k", "0"],
            "top_k: 0 is not allowed; it must be an integer from 1 to 20",
        ),
        (["search", "us-patent-law", "claims", "--retrieve-k", "0"], "retrieve_k: 0 is not allowed"),
        (["search", "us-patent-law", "claims", "--source", "USC"], "source_filter: 'USC' is not allowed"),
        (["search", "us-patent-laws", "claims"], "corpus: 'us-patent-laws' is not allowed"),
        (["section", "us-patent-laws", "2106"], "corpus: 'us-patent-laws' is not allowed"),
        (
            ["section", "us-patent-law", "claims"],
            "section_number: 'claims' is not allowed; it must be a section number",
        ),
        (["section", "us-patent-law", "2106", "--max-chunks", "0"], "max_chunks: 0 is not allowed"),
    ],
)
def test_wrong_use_takes_one_line_and_exits_with_2(sample_data: Any, arguments: list[str], message: str) -> None:
    code, output, errors = run(*arguments)

    assert (code, output) == (WRONG_USE, "")
    assert errors.startswith(f"error: {message}")
    assert errors.count("\n") == 1


@pytest.mark.parametrize("arguments", [["search", "us-patent-law", "claims"], ["section", "us-patent-law", "2106"]])
def test_a_missing_index(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path))

    code, output, errors = run(*arguments)

    assert (code, output) == (FAILED, "")
    assert errors == (
        "error: there is no index for us-patent-law yet; build it with: tansaku index us-patent-law PATH...\n"
    )


def test_a_section_for_people(sample_data: Any) -> None:
    code, output, errors = run("section", "us-patent-law", "MPEP 2106.04")

    lines = output.splitlines()
    heads = [line for line in lines if line.startswith("MPEP 2106.04")]
    assert (code, errors) == (DONE, "")
    assert heads == ["MPEP 2106.04", "MPEP 2106.04(a)", "MPEP 2106.04(a)(2)", "MPEP 2106.04(d)"]
    assert "more chunks" not in output


def test_what_is_left_is_told(sample_data: Any) -> None:
    _, output, _ = run("section", "us-patent-law", "608.01", "--max-chunks", "2")

    assert output.splitlines()[-1] == "10 more chunks: --max-chunks 12"


def test_what_is_missing_of_a_list_is_told(sample_data: Any) -> None:
    code, output, errors = run("section", "us-patent-law", "608.01(o), 9998 and 9999")

    assert (code, output.splitlines()[0]) == (DONE, "MPEP 608.01(o)")
    assert errors == "warning: no content found for: 9998, 9999\n"


def test_a_section_for_programs(sample_data: Any) -> None:
    code, output, errors = run("section", "us-patent-law", "35 U.S.C. 103", "--json")

    answer = json.loads(output)
    assert (code, errors, answer["section"], answer["total_chunks"]) == (DONE, "", "35 U.S.C. 103", 1)
    assert answer["chunks"][0]["metadata"]["source"] == "35_USC"


def test_an_unknown_section(sample_data: Any) -> None:
    assert run("section", "us-patent-law", "9999") == (FAILED, "", "error: No content found for MPEP section 9999\n")
    code, output, _ = run("section", "us-patent-law", "9999", "--json")
    assert (code, json.loads(output)) == (FAILED, {"error": "No content found for MPEP section 9999"})
