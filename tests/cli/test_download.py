import json
import runpy
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app

ROOT = Path(__file__).parents[2]
FileServer = runpy.run_path(str(ROOT / "tests/servers/file_server.py"))["FileServer"]
CFR = "/bulkdata/ECFR/title-37/ECFR-title37.xml"


@pytest.fixture
def server():
    with FileServer() as running:
        running.files[CFR] = (ROOT / "samples/us_patent_law/title-37.xml").read_bytes()
        yield running


def download(server, folder, *options):
    arguments = ["download", "us-patent-law", "--into", str(folder), "--only", "cfr", "--base", f"cfr={server.url}"]
    return CliRunner().invoke(app, [*arguments, *options])


def test_it_says_what_it_got_and_what_comes_next(server, tmp_path):
    result = download(server, tmp_path)
    assert result.exit_code == 0
    first, last = result.stdout.splitlines()
    assert first == "Title 37 of the Code of Federal Regulations, eCFR XML (Jan. 15, 2030): 1 downloaded, 0.0 MB"
    assert last == f"index them with: tansaku index us-patent-law {tmp_path}"
    assert (tmp_path / "cfr/ECFR-title37.xml").read_bytes() == server.files[CFR]


def test_json(server, tmp_path):
    result = download(server, tmp_path, "--json")
    answer = json.loads(result.stdout)
    assert answer["folder"] == str(tmp_path)
    assert answer["sources"] == [
        {
            "name": "cfr",
            "title": "Title 37 of the Code of Federal Regulations, eCFR XML",
            "edition": "Jan. 15, 2030",
            "files": 1,
            "states": {"downloaded": 1},
            "size": len(server.files[CFR]),
            "failures": [],
        }
    ]


def test_a_failure_is_named_and_the_exit_code_says_so(server, tmp_path):
    server.files.clear()
    result = download(server, tmp_path)
    assert result.exit_code == 1
    assert f"warning: {server.url}{CFR}: the server answered 404 Not Found" in result.stderr
    assert "index them with" not in result.stdout
    error = (
        "error: not everything of cfr could be fetched; try again later, it goes on where it stopped, or fetch the "
        "files by hand and index them with: tansaku index us-patent-law PATH"
    )
    assert result.stderr.splitlines()[-1] == error
    assert json.loads(download(server, tmp_path, "--json").stdout)["error"] == error.removeprefix("error: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "x"], "error: source: 'x' is not allowed; it must be one of mpep-html"),
        (["--base", "cfr"], "error: base: 'cfr' is not allowed; it must be SOURCE=URL"),
        (["--since", "yesterday"], "Invalid value for '--since'"),
    ],
)
def test_wrong_use(server, tmp_path, options, message):
    result = download(server, tmp_path, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_unknown_corpus():
    result = CliRunner().invoke(app, ["download", "x"])
    assert result.exit_code == 2
    assert "error: corpus: 'x' is not allowed; it must be one of us-patent-law" in result.stderr
