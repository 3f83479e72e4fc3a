"""Parts of the sources that several runs index beside each other, on real servers."""

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from notes_corpus import HERE, Notes

from pipelines.errors import ArgumentError, IndexLockedError
from pipelines.generations import Generations
from pipelines.index_lock import index_lock
from pipelines.index_stores import open_stores
from pipelines.loading import resolve
from pipelines.rebuilding import GenerationKeeper
from pipelines.shards import Shard

PROJECT = HERE.parents[1]


@pytest.mark.parametrize(("text", "shard"), [("0/1", Shard(0, 1)), ("0/2", Shard(0, 2)), ("11/12", Shard(11, 12))])
def test_parts_are_numbered_from_0(text: str, shard: Shard) -> None:
    assert Shard.read(text) == shard
    assert str(shard) == text


@pytest.mark.parametrize("text", ["", "1", "2/2", "1/0", "-1/2", "a/b", "0/1001", "0/2/3"])
def test_other_parts_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="i/n with i from 0 to n - 1"):
        Shard.read(text)


def test_every_file_belongs_to_one_part_and_an_archive_as_a_whole() -> None:
    parts = [Shard(number, 3) for number in range(3)]
    owners = [[part.number for part in parts if part.owns(f"law/{number}.xml")] for number in range(300)]

    assert all(len(found) == 1 for found in owners)
    assert all(70 < sum(found == [number] for found in owners) < 130 for number in range(3))
    assert all(part.owns("a.zip") is part.owns("a.zip!x/y.html") for part in parts)


def test_a_manifest_in_a_file_and_stores_in_files_are_refused(tmp_path: Path, postgres_url: str) -> None:
    embedded, half = Notes(tmp_path / "a"), Notes(tmp_path / "b", postgres_url)
    for notes, message in ((embedded, "TANSAKU_DATABASE_URL"), (half, "stores on servers: that of keyword_writer")):
        notes.write("a.txt", "notes 10", "N1: Apples")
        with pytest.raises(ArgumentError, match=message):
            notes.run(shard=Shard(0, 2))


@pytest.mark.parametrize(
    ("held", "wanted", "is_free"),
    [
        (None, None, False),
        (None, Shard(0, 2), False),
        (Shard(0, 2), None, False),
        (Shard(0, 2), Shard(0, 2), False),
        (Shard(0, 2), Shard(1, 2), True),
        (Shard(0, 2), Shard(1, 3), False),
    ],
)
def test_the_lock_is_of_a_part(
    tmp_path: Path, postgres_url: str, held: Shard | None, wanted: Shard | None, is_free: bool
) -> None:
    settings = Notes(tmp_path, postgres_url).settings
    with index_lock(settings, "notes", held):
        with index_lock(settings, "other", wanted):
            pass
        if is_free:
            with index_lock(settings, "notes", wanted):
                pass
        else:
            message = f"being written by process {os.getpid()} on .*since"
            with pytest.raises(IndexLockedError, match=message), index_lock(settings, "notes", wanted):
                pass
    with index_lock(settings, "notes", wanted):
        pass


@pytest.fixture
def on_servers(tmp_path: Path, postgres_url: str, search_server: Callable[[str], str]) -> Iterator[Notes]:
    """An index of notes on Elasticsearch, Qdrant and PostgreSQL."""
    prefix = f"test-{uuid.uuid4().hex[:12]}"

    def keyword(name: str, fields: list[str]) -> dict[str, Any]:
        parameters = {"index": f"{prefix}-{name}-${{generation}}", "hosts": search_server("elasticsearch")}
        kind = "components.stores.elasticsearch_document_store.ElasticsearchKeywordStore"
        return {"type": kind, "init_parameters": {**parameters, "text_fields": fields}}

    vector = {
        "type": "components.stores.qdrant_document_store.QdrantDocumentStore",
        "init_parameters": {
            "collection": f"{prefix}-vector-${{generation}}",
            "url": search_server("qdrant"),
            "dimension": 8,
            "meta_fields": ["edition"],
            "api_key": {"type": "env_var", "env_vars": ["QDRANT_API_KEY"], "strict": False},
        },
    }
    names = {
        "stores": {"keyword": keyword("keyword", ["words"]), "parents": keyword("parents", []), "vector": vector},
        "embedder": {"passage": {"type": "note_components.LetterEmbedder", "init_parameters": {}}},
    }
    (tmp_path / "servers.yaml").write_text(yaml.safe_dump(names), encoding="utf-8")
    notes = Notes(tmp_path, postgres_url, str(tmp_path / "servers.yaml"))
    yield notes
    for generation in Generations(notes.settings, "notes").all():
        own = notes.settings.of_generation(generation.number)
        for store in open_stores(resolve("notes_indexing", settings=own, corpus="notes")).values():
            store.remove()
            store.close()


def fill(notes: Notes, second: bool) -> None:
    """Files whose records compete across parts, at first and after changes."""
    for number in range(12):
        lines = [f"N{number}: Apples {number}", f"N{(number + 5) % 12}: Bees {number}. Cats"]
        if second and number % 3 == 0:
            lines = [f"N{number}: Dogs", f"M{number}: Eels {number}"]
        notes.write(f"{number}.txt", f"notes {10 + number % 4 * 5} u", *lines)
    if second:
        (notes.sources / "7.txt").unlink()


def run_parts(notes: Notes, count: int) -> None:
    """Index all parts at the same time, each in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT), str(HERE)])}
    assert notes.settings.database_url
    fixed = [str(notes.sources.parent), notes.settings.database_url.get_secret_value(), notes.settings.profile]
    running = [
        subprocess.Popen(
            [sys.executable, str(HERE / "shard_run.py"), *fixed, f"{number}/{count}"],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors


def test_parts_beside_each_other_make_the_index_of_one_run(on_servers: Notes, tmp_path: Path) -> None:
    calm = Notes(tmp_path / "calm")
    for second in (False, True):
        fill(on_servers, second)
        fill(calm, second)
        run_parts(on_servers, 3)
        calm.run()
        # What competing records leave to another part that had ended.
        on_servers.resume()

        assert on_servers.state() == calm.state()


def test_a_rebuild_on_servers_moves_the_aliases_with_the_switch(on_servers: Notes) -> None:
    on_servers.write("a.txt", "notes 10", "N1: Apples")
    on_servers.run()
    on_servers.write("a.txt", "notes 10", "N1: Ants", "N2: Bees")
    keeper = GenerationKeeper(on_servers.corpus, on_servers.settings)
    index, hosts = (getattr(on_servers.store("keyword"), name) for name in ("index", "hosts"))
    alias = index.removesuffix("-g1")

    def aliased() -> int:
        return int(httpx.get(f"{hosts}/{alias}/_count").json()["count"])

    keeper.rebuild([on_servers.sources], workers=1)
    assert (aliased(), sorted(on_servers.texts())) == (2, ["N1#1", "N2#1"])

    keeper.roll_back()
    assert (aliased(), on_servers.texts()) == (1, {"N1#1": "Apples"})

    keeper.rebuild([on_servers.sources], keep=1, workers=1)
    assert aliased() == 2
    assert httpx.get(f"{hosts}/{alias}-g1").status_code == 200
    assert httpx.get(f"{hosts}/{alias}-g2").status_code == 404
