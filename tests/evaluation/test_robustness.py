"""Measures of robustness by hand-computed values, their report, and the command."""

import csv
import json
import math
from pathlib import Path

import pytest
import yaml
from haystack import Document
from typer.testing import CliRunner

from evaluation.cases import EntityCase, VariationCase
from evaluation.evaluate_robustness import app
from evaluation.robustness import Search, evaluate_entities, evaluate_variations, mean_values, spreads
from evaluation.robustness_report import render_text, summarize, write_report

YAML = Path(__file__).parents[2] / "pipelines" / "yaml"


def searching(**found: list[str]) -> Search:
    """A search with fixed answers; a chunk's id with a * was raised by an entity."""

    def search(query: str) -> list[Document]:
        return [
            Document(id=name.strip("*"), content="x", meta={"scores": {"entity_boost": 5.0 if "*" in name else 1.0}})
            for name in found[query]
        ]

    return search


VARIATIONS = evaluate_variations(
    [VariationCase("first", ("second", "third"), "a"), VariationCase("fourth", ("fifth",), "b")],
    searching(
        first=["a#1", "b#1"], second=["b#1", "b#2", "a#2"], third=["c#1"], fourth=["b#1"], fifth=["b#2", "a#1", "b#1"]
    ),
)
ENTITIES = evaluate_entities(
    [
        EntityCase("all", ("a", "b"), ("c",)),
        EntityCase("part", ("a", "b"), ("c",)),
        EntityCase("unraised", ("a",), ("f",)),
        EntityCase("nothing", ("a",)),
    ],
    searching(
        all=["a#1*", "c#1", "b#1", "b#2*"],
        part=["c#1*", "a#1*", "d#1"],
        unraised=["b#1", "a#1", "c#1", "d#1", "e#1", "f#1"],
        nothing=[],
    ),
)


def test_spellings() -> None:
    assert [result.values["MRR"] for result in VARIATIONS] == [1.0, 0.5, 0.0, 1.0, 1.0]
    assert [result.values["Found@10"] for result in VARIATIONS] == [1.0, 1.0, 0.0, 1.0, 1.0]
    assert VARIATIONS[1].values["nDCG@10"] == pytest.approx(1 / math.log2(3))
    assert VARIATIONS[1].found == ("b", "a")
    assert spreads(VARIATIONS) == [1.0, 0.0]
    assert mean_values(VARIATIONS)["MRR"] == pytest.approx(0.7)


def test_entities_count_what_the_search_raised_or_the_first_five() -> None:
    assert [result.found for result in ENTITIES] == [("a", "b"), ("c", "a"), ("b", "a", "c", "d", "e"), ()]
    assert [result.wrong for result in ENTITIES] == [(), ("c",), (), ()]
    assert [result.values["Recall"] for result in ENTITIES] == [1.0, 0.5, 1.0, 0.0]
    assert [result.values["Precision"] for result in ENTITIES] == [1.0, 0.5, pytest.approx(0.2), 0.0]
    assert [result.values["F1"] for result in ENTITIES] == [1.0, 0.5, pytest.approx(1 / 3), 0.0]


def test_summary_and_bars() -> None:
    summary = summarize(VARIATIONS, ENTITIES)

    assert summary["variation"]["Spread"] == 0.5
    assert summary["variation"]["Largest spread"] == 1.0
    assert (summary["variation"]["cases"], summary["variation"]["queries"]) == (2, 5)
    assert summary["entity"]["Wrong documents"] == 1
    assert {bar["measure"]: bar["reached"] for bar in summary["bars"]} == {
        "variation MRR": False,
        "variation Spread": False,
        "entity Recall": False,
        "entity Precision": False,
        "entity F1": False,
    }
    perfect = summarize(VARIATIONS[3:], ENTITIES[:1])
    assert all(bar["reached"] for bar in perfect["bars"])
    assert list(summarize([], ENTITIES)) == ["entity", "bars"]


def test_files(tmp_path: Path) -> None:
    write_report(tmp_path / "out", summarize(VARIATIONS, ENTITIES), VARIATIONS, ENTITIES)

    with (tmp_path / "out/variation_results.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[1]["case"], rows[1]["query"], rows[1]["MRR"], rows[1]["found"]) == ("1", "second", "0.5000", "b a")
    with (tmp_path / "out/entity_results.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["wrong"] for row in csv.DictReader(file)] == ["", "c", "", ""]
    report = (tmp_path / "out/evaluation_report.txt").read_text(encoding="utf-8")
    assert "variation MRR         0.700  bar 0.95  MISSED" in report
    assert "  part: 0.50\n    not found: b\n    instead or besides: c\n" in report


def test_a_report_of_one_part_names_no_other() -> None:
    text = render_text(summarize(VARIATIONS[3:], []), VARIATIONS[3:])

    assert "entity" not in text
    assert "did worst" not in text


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """The law's query pipeline, over company documents."""
    definition = yaml.safe_load((YAML / "mpep_query.yaml").read_text(encoding="utf-8"))
    path = tmp_path / "stand_in.yaml"
    path.write_text(yaml.safe_dump({**definition, "corpus": "company-docs"}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "parts"),
    [([], ["variation", "entity"]), (["--variation-only"], ["variation"]), (["--entity-only"], ["entity"])],
)
def test_command(
    options: list[str], parts: list[str], stand_in: Path, data_dir: Path, profile: Path, tmp_path: Path
) -> None:
    arguments = ["--test-sample", "--json", "--pipeline", stand_in, "--profile", profile, "--output", tmp_path / "out"]
    result = CliRunner().invoke(app, [*options, *map(str, arguments)])

    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert [name for name in summary if name in ("variation", "entity")] == parts
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "evaluation_report.txt",
        *(f"{part}_results.csv" for part in parts),
    }
    assert all(summary[part]["cases"] == 3 for part in parts)
    assert not data_dir.exists() or not (data_dir / "indexes").exists()


def test_options_that_leave_nothing() -> None:
    assert CliRunner().invoke(app, ["--variation-only", "--entity-only"]).exit_code == 2
