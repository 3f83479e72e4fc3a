"""index, doctor, check and render on the command line, over documents of our own writing."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from cli.main import app
from cli.output import DONE, FAILED
from pipelines.manifest import Manifest

runner = CliRunner()
RULES = """\
{"id": "37CFR-9.1", "title": "Form of drawings", "text": "Drawings of a kite must show its tail."}
{"id": "37CFR-9.2", "title": "Fees for kites", "text": "The fee for a kite is due when it is flown."}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path / "data"))
    sources = tmp_path / "law"
    sources.mkdir()
    (sources / "corpus.jsonl").write_text(RULES)
    return sources


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_index_reports_what_it_found(folder: Path) -> None:
    code, output, _ = run("index", "us-patent-law", folder, "--no-vectors")

    assert code == DONE
    assert "law/corpus.jsonl" in output
    assert "2 sections, 2 chunks, 0 with vectors" in output
    assert "tansaku index us-patent-law --resume" in output


def test_without_a_terminal_long_paths_stay_in_one_piece(folder: Path) -> None:
    name = "rules-of-kites-" * 8 + ".jsonl"
    (folder / "corpus.jsonl").rename(folder / name)

    _, output, _ = run("index", "us-patent-law", folder, "--no-vectors")

    assert any(line.split() == [f"law/{name}", "beir", "1", "1", "2", "2", "0"] for line in output.splitlines())


def test_index_for_programs(folder: Path) -> None:
    code, output, errors = run("index", "us-patent-law", folder, "--no-vectors", "--json")

    report = json.loads(output)
    assert (code, errors, report["ok"]) == (DONE, "", True)
    assert [(s["origin"], s["kind"], s["sections"], s["chunks"]) for s in report["sources"]] == [
        ("law/corpus.jsonl", "beir", 2, 2)
    ]


@pytest.mark.parametrize("damaged", ["empty.xml", "rules.zip", "title37.xml"])
def test_unreadable_file_is_named_and_shows_in_the_exit_code(folder: Path, damaged: str) -> None:
    contents = {"empty.xml": b"", "rules.zip": b"PK\x03\x04 and no more", "title37.xml": b"<?xml version='1.0'?><ECFR>"}
    (folder / damaged).write_bytes(contents[damaged])

    code, output, _ = run("index", "us-patent-law", folder, "--no-vectors")

    assert code == FAILED
    assert f"not read: law/{damaged}" in output
    assert "2 sections, 2 chunks" in output


def test_what_is_no_source_is_named_and_skipped(folder: Path) -> None:
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(100))
    (folder / "README").write_text("What lies here.")
    with zipfile.ZipFile(folder / "more.zip", "w") as archive:
        archive.writestr("notes.txt", "My own notes.")

    code, output, _ = run("index", "us-patent-law", folder, "--no-vectors")

    assert code == DONE
    assert [line for line in output.splitlines() if line.startswith(("skipped", "not read"))] == [
        "skipped: law/README: text without a known structure",
        "skipped: law/more.zip!notes.txt: text without a known structure",
        "skipped: law/photo.jpg: binary data of an unknown format",
    ]
    assert "skipped: law/README: text without a known structure" in run("doctor", "us-patent-law")[1]
    report = json.loads(run("index", "us-patent-law", folder, "--no-vectors", "--json")[1])
    assert (report["ok"], report["failures"]) == (True, [])
    assert [source["origin"] for source in report["skipped"]] == [
        "law/README",
        "law/more.zip!notes.txt",
        "law/photo.jpg",
    ]


def test_what_is_no_source_fails_where_it_was_asked_for(folder: Path, tmp_path: Path) -> None:
    run("index", "us-patent-law", folder, "--no-vectors")
    (tmp_path / "only").mkdir()
    (tmp_path / "only" / "README").write_text("What lies here.")

    for path in (tmp_path / "only" / "README", tmp_path / "only"):
        code, output, _ = run("index", "us-patent-law", path, folder, "--no-vectors")
        assert code == FAILED
        assert "README: text without a known structure" in output
        assert "skipped" not in output


@pytest.mark.parametrize("name", ["[/b].txt", "[red].txt", "a\x1b[31m\nb.txt"])
def test_names_are_shown_as_they_are_without_control_characters(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("nothing known")

    code, output, _ = run("index", "us-patent-law", folder, "--no-vectors")

    shown = name.replace("\x1b", "\ufffd").replace("\n", "\ufffd")
    assert code == DONE
    assert f"skipped: law/{shown}: " in output
    assert "\x1b" not in output
    assert f"skipped: law/{shown}: " in run("doctor", "us-patent-law")[1]


def test_nothing_to_index_is_an_error(folder: Path) -> None:
    (folder / "corpus.jsonl").unlink()

    code, _, errors = run("index", "us-patent-law", folder)

    assert code == FAILED
    assert errors.startswith("error: nothing in ")


def test_doctor_finds_an_index_sound_whose_vectors_are_not_made_yet(folder: Path) -> None:
    run("index", "us-patent-law", folder, "--no-vectors")

    code, output, _ = run("doctor", "us-patent-law")
    assert code == DONE
    assert "keyword: 2 documents, as it should be" in output
    assert "still without vectors: 2 chunks; finish it with: tansaku index us-patent-law --resume" in output

    code, output, _ = run("doctor", "us-patent-law", "--json")
    assert (code, json.loads(output)["ok"], json.loads(output)["without_vectors"]) == (DONE, True, 2)


def test_one_of_a_kind_is_told_in_the_singular(folder: Path) -> None:
    (folder / "corpus.jsonl").write_text(RULES.splitlines()[0])
    _, indexed, _ = run("index", "us-patent-law", folder, "--no-vectors")
    _, examined, _ = run("doctor", "us-patent-law")
    (folder / "corpus.jsonl").rename(folder / "other.jsonl")
    _, emptied, _ = run("index", "us-patent-law", folder, "--no-vectors")

    assert "1 section, 1 chunk, 0 with vectors" in indexed
    assert "keyword: 1 document, as it should be" in examined
    assert "still without vectors: 1 chunk;" in examined
    assert "gone, and taken out of the index: 1 file\n" in emptied


def test_doctor_repairs(folder: Path) -> None:
    from pipelines.loading import open_store

    run("index", "us-patent-law", folder, "--no-vectors")
    store = open_store("keyword", "us-patent-law")
    store.delete_documents(["37CFR-9.1#1"])
    store.close()

    _, output, _ = run("doctor", "us-patent-law")
    assert "1 missing: 37CFR-9.1#1" in output
    assert "put it right with: tansaku doctor us-patent-law --repair" in output

    _, output, _ = run("doctor", "us-patent-law", "--repair", "--no-vectors")
    assert "keyword: 2 documents, as it should be" in output


def test_a_damaged_store_is_named_and_made_again(folder: Path, tmp_path: Path) -> None:
    run("index", "us-patent-law", folder, "--no-vectors")
    (tmp_path / "data/indexes/us-patent-law/keyword/meta.json").write_text("{")

    for command in (["search", "us-patent-law", "kites"], ["index", "us-patent-law", folder, "--no-vectors"]):
        code, output, errors = run(*command)
        assert (code, output) == (FAILED, "")
        assert errors.startswith("error: the index of us-patent-law is damaged (keyword: ")
        assert errors.endswith("mend it with: tansaku doctor us-patent-law --repair\n")
    code, output, _ = run("doctor", "us-patent-law")
    assert code == FAILED
    assert "keyword: damaged: " in output

    code, output, _ = run("doctor", "us-patent-law", "--repair", "--no-vectors")
    assert code == DONE
    assert "keyword: 2 documents, as it should be" in output


def test_a_damaged_manifest_is_mended_or_the_command_is_told(folder: Path, tmp_path: Path) -> None:
    run("index", "us-patent-law", folder, "--no-vectors")
    (tmp_path / "data/indexes/us-patent-law/manifest.sqlite").write_bytes(b"no database at all " * 300)

    code, output, errors = run("doctor", "us-patent-law")
    assert (code, output) == (FAILED, "")
    assert errors.endswith("mend it with: tansaku doctor us-patent-law --repair\n")

    code, _, errors = run("doctor", "us-patent-law", "--repair", "--no-vectors")
    assert code == FAILED
    assert errors.endswith("build it anew with: tansaku index us-patent-law PATH...\n")
    assert run("index", "us-patent-law", folder, "--no-vectors")[0] == DONE


def test_the_doctor_tells_of_vectors_by_another_recipe(folder: Path, sample_data: Any, tmp_path: Path) -> None:
    shutil.copytree(sample_data.data_dir, tmp_path / "copy")
    with Manifest(tmp_path / "copy/indexes/us-patent-law/manifest.sqlite") as manifest:
        recipe = json.loads(manifest.fact("embedder"))
        manifest.set_fact("embedder", json.dumps({**recipe, "recipe": "words, version 0"}))

    environment = {"TANSAKU_DATA_DIR": str(tmp_path / "copy"), "COLUMNS": "300"}
    result = runner.invoke(app, ["doctor", "us-patent-law"], env=environment)
    assert result.exit_code == FAILED
    assert "by another recipe than the present embedder's (words, version 0): they are not searched" in result.stdout

    result = runner.invoke(app, ["search", "us-patent-law", "time for reply"], env=environment)
    assert result.exit_code == DONE
    assert "made without: vector (the index's vectors are by another version (words, version 0)" in result.stderr


def test_an_embedder_that_cannot_be_prepared_takes_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "models").write_text("a file where the folder should be")

    code, _, errors = run("index", "us-patent-law", folder)

    assert code == FAILED
    assert errors.startswith("error: the embedder can't be made ready: the embedder's model can't be written to ")
    assert errors.endswith("embed them later with: tansaku index us-patent-law --resume\n")
    assert errors.count("\n") == 1
    assert run("search", "us-patent-law", "kites", "--no-statute")[0] == DONE


def test_check_and_render(tmp_path: Path) -> None:
    assert run("check", "mpep_indexing") == (DONE, "no problems found\n", "")
    code, output, _ = run("render", "mpep_indexing")
    assert code == DONE
    path = tmp_path / "rendered.yaml"
    path.write_text("corpus: us-patent-law\n" + output.replace("splitter.documents", "splitter.document"))

    code, output, _ = run("check", path)
    assert code == FAILED
    assert "splitter has no output 'document'; write splitter.documents" in output

    code, output, _ = run("check", path, "--json")
    problems = json.loads(output)["problems"]
    assert (code, {problem["component"] for problem in problems}) == (FAILED, {"splitter"})


def test_render_for_programs_is_the_same_definition() -> None:
    assert json.loads(run("render", "mpep_indexing", "--json")[1]) == yaml.safe_load(run("render", "mpep_indexing")[1])
