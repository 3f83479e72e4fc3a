"""index --rebuild, generations and rollback on the command line, over documents of our own writing."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.output import DONE, FAILED, WRONG_USE
from tests.cli.test_index_commands import run
from tests.servers.embedding_server import MODEL, EmbeddingServerProcess

RULES = {
    "37CFR-9.1": ("Form of drawings", "Drawings of a kite must show its tail."),
    "37CFR-9.2": ("Fees for kites", "The fee for a kite is due when it is flown."),
    "37CFR-9.3": ("Strings", "A string must hold the kite in any wind."),
}
ASKED = {"q1": ("what must drawings of a kite show", "37CFR-9.1"), "q2": ("when is the fee due", "37CFR-9.2")}


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServerProcess]:
    with EmbeddingServerProcess() as process:
        yield process


@pytest.fixture
def law(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: EmbeddingServerProcess) -> Path:
    """A folder of rules that is indexed."""
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TANSAKU_EMBEDDER_MODEL", MODEL)
    monkeypatch.setenv("TANSAKU_EMBEDDER_URL", server.url)
    folder = tmp_path / "law"
    folder.mkdir()
    write_rules(folder / "corpus.jsonl", RULES)
    assert run("index", "us-patent-law", folder)[0] == DONE
    return folder


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    folder = tmp_path / "questions"
    folder.mkdir()
    write_rules(folder / "corpus.jsonl", RULES)
    lines = [json.dumps({"id": name, "text": text}) + "\n" for name, (text, _) in ASKED.items()]
    (folder / "queries.jsonl").write_text("".join(lines))
    (folder / "qrels.tsv").write_text("".join(f"{name}\t{answer}\t1\n" for name, (_, answer) in ASKED.items()))
    return folder


def write_rules(path: Path, rules: dict[str, tuple[str, str]]) -> None:
    records = [{"id": name, "title": title, "text": text} for name, (title, text) in rules.items()]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def active() -> int:
    _, output, _ = run("index", "generations", "us-patent-law", "--json")
    [number] = [each["number"] for each in json.loads(output) if each["state"] == "active"]
    return int(number)


def found(query: str) -> list[str]:
    _, output, _ = run("search", "us-patent-law", query, "--json")
    return [hit["id"].split("#")[0] for hit in json.loads(output)["results"]]


def test_a_rebuild_above_the_floor_is_searched_and_can_be_taken_back(law: Path, questions: Path) -> None:
    write_rules(law / "corpus.jsonl", {**RULES, "37CFR-9.4": ("Colours", "A kite may be red.")})

    code, output, _ = run(
        "index", "us-patent-law", law, "--rebuild", "--floor", "nDCG@10=0.9", "--questions", questions
    )

    assert code == DONE
    assert "generation 2 is searched now, 1 before; go back with: tansaku index rollback us-patent-law" in output
    assert active() == 2
    assert "37CFR-9.4" in found("red kites")
    assert run("index", "rollback", "us-patent-law")[0] == DONE
    assert active() == 1
    assert "37CFR-9.4" not in found("red kites")


def test_a_rebuild_below_the_floor_leaves_the_old_generation(law: Path, questions: Path) -> None:
    write_rules(law / "corpus.jsonl", {name: rule for name, rule in RULES.items() if name != "37CFR-9.1"})

    code, _, errors = run(
        "index", "us-patent-law", law, "--rebuild", "--floor", "nDCG@10=0.9", "--questions", questions
    )

    assert code == FAILED
    assert "nDCG@10 on questions is " in errors
    assert "below 0.9" in errors
    assert active() == 1
    assert found("drawings of a kite")[0] == "37CFR-9.1"


def test_a_rebuild_whose_embedder_fails_leaves_the_old_generation(law: Path, server: EmbeddingServerProcess) -> None:
    write_rules(law / "corpus.jsonl", {**RULES, "37CFR-9.4": ("Colours", "A kite may be red.")})
    server.behave("shorter")
    code, _, errors = run("index", "us-patent-law", law, "--rebuild")
    server.behave("well")

    assert code == FAILED
    assert "vectors of 3 numbers" in errors
    assert active() == 1
    assert found("drawings of a kite")[0] == "37CFR-9.1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--floor", "nDCG@10=0.9"), "used with --rebuild"),
        (("--rebuild", "--floor", "nDCG@10=0.9"), "used together with --questions DIR"),
        (("--rebuild", "--questions", "somewhere"), "used together with --questions DIR"),
        (("--rebuild", "--no-vectors"), "given all PATHs, vectors included"),
        (("--rebuild", "--shard", "0/2"), "used without --shard"),
        (("--rebuild", "--floor", "nDCG=0.9", "--questions", "{questions}"), "MEASURE=VALUE with one of"),
        (("--rebuild", "--floor", "nDCG@10=9", "--questions", "{questions}"), "a value from 0 to 1"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: tuple[str, ...], message: str, law: Path, questions: Path
) -> None:
    code, _, errors = run("index", "us-patent-law", law, *(option.format(questions=questions) for option in options))

    assert code == WRONG_USE
    assert message in errors
    assert active() == 1
