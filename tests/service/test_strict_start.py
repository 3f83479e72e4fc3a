"""`tansaku serve` in production and staging: a part that can't be loaded ends the start with its reason."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from pipelines import PROJECT
from pipelines.settings import Settings

TANSAKU = [sys.executable, "-c", "from cli.main import run; run()"]
SERVE = [*TANSAKU, "serve", "--port", "0", "--corpus", "company-docs", "--no-samples", "--json"]


@pytest.fixture
def pipelines_dir(tmp_path: Path) -> Path:
    """A copy of the pipeline files with its own synonyms, to be changed."""
    folder = tmp_path / "yaml"
    shutil.copytree(PROJECT / "pipelines" / "yaml", folder)
    shutil.copytree(PROJECT / "config", tmp_path / "config")
    return folder


def changed(folder: Path, component: str, **parameters: object) -> None:
    path = folder / "rag_query.yaml"
    definition = yaml.safe_load(path.read_text(encoding="utf-8"))
    definition["components"][component]["init_parameters"] |= parameters
    path.write_text(yaml.safe_dump(definition, allow_unicode=True), encoding="utf-8")


def environment(tmp_path: Path, pipelines_dir: Path, **values: str) -> dict[str, str]:
    data = tmp_path / "data"
    data.mkdir(exist_ok=True)
    (data / "models").symlink_to(Settings().models_dir)
    own = {"TANSAKU_DATA_DIR": str(data), "TANSAKU_PIPELINES_DIR": str(pipelines_dir), "TANSAKU_DATABASE_URL": ""}
    return {**os.environ, **own, **values}


def ended(env: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(SERVE, env=env, capture_output=True, text=True, timeout=300, check=False)
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return done.returncode, errors[-1] if errors else done.stderr[-2000:]


@pytest.mark.parametrize(
    ("env", "component", "parameters", "reason"),
    [
        (
            "staging",
            "entity_recognizer",
            {"model": "no_such_model"},
            "entity_recognizer can't be used: the entity model",
        ),
        ("production", "analyzer", {"user_dictionary": "no.dic"}, "there is no Sudachi user dictionary 'no.dic'"),
        ("production", "query_expander", {"synonyms": "no/such/folder"}, "no/such/folder: there is no such folder"),
        (
            "production",
            "query_expander",
            {"backend": "hybrid", "chat_generator": {"type": "no.such.Generator", "init_parameters": {}}},
            "query_expander can't be used: no.such.Generator can't be made",
        ),
    ],
)
def test_a_part_that_cant_be_loaded_ends_the_start(
    tmp_path: Path, pipelines_dir: Path, env: str, component: str, parameters: dict[str, object], reason: str
) -> None:
    changed(pipelines_dir, component, **parameters)

    code, error = ended(environment(tmp_path, pipelines_dir, TANSAKU_ENV=env))

    assert code == 1
    assert reason in error


def test_a_damaged_embedder_ends_the_start(tmp_path: Path, pipelines_dir: Path) -> None:
    path = pipelines_dir / "rag_query.yaml"
    definition = yaml.safe_load(path.read_text(encoding="utf-8"))
    definition["components"]["embedder"] = {
        "type": "components.embedders.e5_text_embedder.E5TextEmbedder",
        "init_parameters": {"model": str(tmp_path), "prepare": False},
    }
    path.write_text(yaml.safe_dump(definition, allow_unicode=True), encoding="utf-8")

    code, error = ended(environment(tmp_path, pipelines_dir, TANSAKU_ENV="production"))

    assert code == 1
    assert "embedder can't be used: the embedder's model in" in error


def test_faulty_synonyms_are_named_with_file_and_line(tmp_path: Path, pipelines_dir: Path) -> None:
    synonyms = tmp_path / "config" / "synonyms"
    (synonyms / "own.txt").write_text("有休, 年休\n一語\n", encoding="utf-8")
    changed(pipelines_dir, "query_expander", synonyms=str(synonyms))

    code, error = ended(environment(tmp_path, pipelines_dir, TANSAKU_ENV="production"))

    assert code == 1
    assert f"{synonyms / 'own.txt'}:2: '一語' is a single word" in error


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "TANSAKU_LLM_URL",
            "localhost:11434",
            "'localhost:11434' is not allowed; it must be an address such as http://",
        ),
        ("TANSAKU_ENV", "prod", "Input should be 'development', 'staging' or 'production'"),
    ],
)
def test_a_malformed_setting_ends_the_start_everywhere(
    tmp_path: Path, pipelines_dir: Path, name: str, value: str, message: str
) -> None:
    code, error = ended(environment(tmp_path, pipelines_dir, **{name: value}))

    assert code == 1
    assert error.startswith(f"error: {name}: ")
    assert message in error


@pytest.fixture
def development(tmp_path: Path, pipelines_dir: Path) -> Iterator[str]:
    changed(pipelines_dir, "entity_recognizer", model="no_such_model")
    with subprocess.Popen(
        SERVE, env=environment(tmp_path, pipelines_dir), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield yaml.safe_load("".join(iter(process.stdout.readline, "}\n")) + "}")["rest"]
        finally:
            process.terminate()


def test_in_development_it_starts_all_the_same(development: str) -> None:
    answer = httpx.get(f"{development}/health", timeout=60)

    assert answer.status_code == 503  # there is no index either
    assert httpx.get(f"{development}/health/live", timeout=60).status_code == 200
