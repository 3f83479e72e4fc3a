"""Benchmarks on a small set of our own: what they count, and what their bars say."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import exact_numbers, quality
from benchmarks.bars import Bar, tell


@pytest.mark.parametrize(
    ("bar", "ok", "line"),
    [
        (Bar("x", 0.5, 0.4), True, "ok   x: 0.5 (bar: >= 0.4)"),
        (Bar("x", 0.4, 0.4), True, "ok   x: 0.4 (bar: >= 0.4)"),
        (Bar("x", 0.39996, 0.4), False, "MISS x: 0.4 (bar: >= 0.4)"),
        (Bar("x", 81.25, 80, most=True), False, "MISS x: 81.25 (bar: <= 80)"),
        (Bar("x", -0.1, 0.005, most=True), True, "ok   x: -0.1 (bar: <= 0.005)"),
    ],
)
def test_bars(bar: Bar, ok: bool, line: str) -> None:
    assert bar.ok is ok
    assert str(bar) == line


def test_one_json_object_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert not tell("speed", {"n": 1}, [Bar("a", 1, 0), Bar("b", 1, 2)], as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["benchmark"], told["results"], told["ok"]) == ("speed", {"n": 1}, False)
    assert [bar["ok"] for bar in told["bars"]] == [True, False]


def run(measure: object, *arguments: object) -> tuple[int, dict]:
    app = typer.Typer()
    app.command()(measure)  # type: ignore[type-var]
    done = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.usefixtures("data_dir")
def test_every_number_comes_first(dataset: Path, profile: Path) -> None:
    code, told = run(exact_numbers.measure, dataset, "--profile", profile)
    assert code == 0
    assert told["results"]["own-questions"]["numbers"] == 5
    assert told["results"]["own-questions"]["queries"] == 15
    assert told["results"]["own-questions"]["wrong"] == 0


@pytest.mark.usefixtures("data_dir")
def test_quality_is_held_against_the_bars(dataset: Path, profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "BARS", {"own-questions": 0.5})
    monkeypatch.setattr(quality, "KIND_BARS", {"own-questions": {"plain": 1.0, "hard": 1.01}})
    code, told = run(quality.measure, "--data", dataset.parent, "--profile", profile)
    assert code == 1
    assert [(bar["name"], bar["ok"]) for bar in told["bars"]] == [
        ("own-questions nDCG@10", True),
        ("own-questions plain nDCG@10", True),
        ("own-questions hard nDCG@10", False),
        ("own-questions below its better arm", True),
    ]
