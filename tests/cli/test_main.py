"""The command's frame: help with examples, exit codes, errors as one line."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from cli.main import COMMANDS, TansakuGroup, app
from cli.output import FAILED, WRONG_USE, print_json, progress_bars
from pipelines.errors import ArgumentError, ConfigError, UnknownNameError

runner = CliRunner()


def test_help_names_all_commands() -> None:
    result = runner.invoke(app, ["--help"])

    assert result.exit_code == 0
    assert all(command.__name__ in result.output for command in COMMANDS)


@pytest.mark.parametrize("name", [command.__name__ for command in COMMANDS])
def test_help_of_each_command_shows_an_example(name: str) -> None:
    result = runner.invoke(app, [name, "--help"])

    assert result.exit_code == 0
    assert f"tansaku {name}" in result.output
    assert "--json" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command"),
        (["index"], "corpus"),
        (["index", "us-patent-law"], "PATH"),
        (["index", "us-patent-law", "--prune", "--resume"], "--prune"),
        (["index", "us-patent-laws", "--resume"], "'us-patent-laws' is not allowed; it must be one of us-patent-law"),
        (["doctor", "us-patent-laws"], "it must be one of us-patent-law"),
        (["index", "us-patent-law", "/nonexistent"], "an existing file, folder or archive"),
    ],
)
def test_wrong_use_exits_with_2(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path))

    result = runner.invoke(app, arguments)

    assert result.exit_code == WRONG_USE
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nonsense", "--json"], WRONG_USE, "No such command 'nonsense'."),
        (["index", "--json"], WRONG_USE, "Missing argument"),
        (["search", "us-patent-law", "claims", "--top-k", "x", "--json"], WRONG_USE, "Invalid value for '--top-k'"),
        (["search", "us-patent-law", "claims", "--json", "--top-k", "0"], WRONG_USE, "top_k: 0 is not allowed"),
        (["index", "us-patent-law", "--json"], WRONG_USE, "Invalid value for PATH: give one or more"),
        (["index", "us-patent-law", "/nonexistent", "--json"], WRONG_USE, "path: '/nonexistent' is not allowed"),
        (["check", "none", "--json"], WRONG_USE, "there is no pipeline 'none'"),
        (["check", "--profile", "none", "--json"], WRONG_USE, "there is no profile 'none'"),
        (["render", "none", "--json"], WRONG_USE, "there is no pipeline 'none'"),
        (["serve", "--profile", "none", "--json"], WRONG_USE, "there is no profile 'none'"),
        (["serve", "--corpus", "none", "--json"], WRONG_USE, "corpus: 'none' is not allowed; it must be one of"),
        (["evaluate", "none", "--json"], WRONG_USE, "none: no such folder"),
        (["download", "us-patent-law", "--only", "none", "--json"], WRONG_USE, "source: 'none' is not allowed"),
        (["section", "us-patent-law", "608.01", "--json"], FAILED, "there is no index for us-patent-law yet"),
        (["search", "us-patent-law", "claims", "--json"], FAILED, "there is no index for us-patent-law yet"),
        (["doctor", "us-patent-law", "--json"], FAILED, "there is no index for us-patent-law yet"),
        (["index", "us-patent-law", "--resume", "--json"], FAILED, "nothing in the index can be searched"),
    ],
)
def test_programs_that_asked_for_json_get_errors_as_json(
    arguments: list[str], code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path))

    result = runner.invoke(app, arguments)

    assert (result.exit_code, json.loads(result.stdout)["error"][: len(message)]) == (code, message)
    assert result.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("a profile\nis wrong"), FAILED),
        (ArgumentError("top_k", 0, "at least 1"), WRONG_USE),
        (UnknownNameError("there is no profile"), WRONG_USE),
    ],
)
def test_errors_that_a_user_can_put_right_are_one_line(error: Exception, code: int) -> None:
    broken = typer.Typer(cls=TansakuGroup)

    @broken.command()
    def work() -> None:
        raise error

    @broken.command()
    def other() -> None: ...

    result = runner.invoke(broken, ["work"])

    assert result.exit_code == code
    assert result.stderr == f"error: {' '.join(str(error).split())}\n"
    assert result.stdout == ""


def test_missing_index_names_the_command_that_builds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path))

    result = runner.invoke(app, ["doctor", "us-patent-law"])

    assert (result.exit_code, "tansaku index us-patent-law PATH" in result.stderr) == (FAILED, True)


def test_version() -> None:
    assert runner.invoke(app, ["--version"]).output.startswith("tansaku ")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, cli.main;"
        "print([name for name in ('haystack', 'onnxruntime', 'pydantic', 'numpy', 'lxml') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_json_is_plain_and_complete(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": "探索 [bold]x[/bold]", "path": Path("/a")})

    assert capsys.readouterr().out == '{\n  "text": "探索 [bold]x[/bold]",\n  "path": "/a"\n}\n'


def test_no_progress_bar_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bars() as report:
        report("embedding chunks", 1, 2)

    assert capsys.readouterr() == ("", "")


def test_progress_bars_show_rate_and_time_left_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from rich.console import Console

    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    monkeypatch.setattr("cli.output.errors", screen)
    with progress_bars() as report:
        report("embedding chunks", 0, 200)
        report("embedding chunks", 100, 200)

    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "embedding chunks" in shown
    assert "100/200" in shown


@pytest.mark.parametrize(("quiet", "shown"), [(False, "Preparing the model\n"), (True, "")])
def test_without_a_terminal_what_takes_long_is_a_line(
    capsys: pytest.CaptureFixture[str], quiet: bool, shown: str
) -> None:
    logger = logging.getLogger("components.embedders.e5_model")
    with progress_bars(quiet):
        logger.info("Preparing the model")
    logger.info("Nobody listens any more")

    assert capsys.readouterr() == ("", shown)
