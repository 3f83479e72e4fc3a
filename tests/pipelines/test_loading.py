"""Pipeline files and profiles: what references become, and what is refused."""

from pathlib import Path

import pytest
from haystack import Pipeline

from pipelines.errors import ConfigError
from pipelines.loading import build, instantiate, load_pipeline, open_store, render, resolve, without, without_idle
from pipelines.settings import Settings

PIPELINE = """\
corpus: us-patent-law
components:
  writer:
    type: haystack.components.writers.document_writer.DocumentWriter
    init_parameters: {document_store: "${stores.keyword}", policy: "${policy}"}
  splitter:
    type: components.splitters.section_splitter.SectionSplitter
    init_parameters: {max_tokens: "${sizes.chunk}"}
connections:
  - {sender: splitter.documents, receiver: writer.documents}
"""
PROFILE = """\
stores:
  keyword:
    type: components.stores.tantivy_document_store.TantivyDocumentStore
    init_parameters: {path: "${paths.index}/keyword"}
policy: OVERWRITE
sizes: {chunk: 200}
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    folder = tmp_path / "pipelines"
    (folder / "profiles").mkdir(parents=True)
    (folder / "small.yaml").write_text(PIPELINE)
    (folder / "profiles" / "embedded.yaml").write_text(PROFILE)
    return Settings(data_dir=tmp_path / "data", pipelines_dir=folder)


def test_references_become_what_the_profile_says(settings: Settings, tmp_path: Path) -> None:
    definition = resolve("small", settings=settings)

    assert list(definition) == ["components", "connections"]
    assert definition["components"]["splitter"]["init_parameters"] == {"max_tokens": 200}
    writer = definition["components"]["writer"]["init_parameters"]
    assert writer["policy"] == "OVERWRITE"
    assert writer["document_store"]["init_parameters"] == {"path": f"{tmp_path}/data/indexes/us-patent-law/keyword"}


def test_index_of_another_corpus(settings: Settings, tmp_path: Path) -> None:
    definition = resolve("small", settings=settings, corpus="scratch")

    store = definition["components"]["writer"]["init_parameters"]["document_store"]
    assert store["init_parameters"] == {"path": f"{tmp_path}/data/indexes/scratch/keyword"}


def test_rendered_file_is_plain_haystack_yaml(settings: Settings) -> None:
    text = render("small", settings=settings)

    assert "${" not in text
    assert Pipeline.loads(text).to_dict() == load_pipeline("small", settings=settings).to_dict()


def test_pipeline_is_found_by_name_and_by_path(settings: Settings) -> None:
    by_path = resolve(str(settings.pipelines_dir / "small.yaml"), settings=settings)

    assert by_path == resolve("small", settings=settings)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("small.yaml", PIPELINE.replace("sizes.chunk", "sizes.chunks"), "tansaku check says where"),
        ("small.yaml", PIPELINE.replace("corpus: us-patent-law\n", ""), "`corpus:` is missing"),
        ("small.yaml", "- a list", "must hold a mapping"),
        ("small.yaml", "a: [", "not valid YAML"),
        ("profiles/embedded.yaml", "a: [", "not valid YAML"),
        ("small.yaml", PIPELINE + "corpus: other\n", r"small\.yaml:\d+: 'corpus' stands here a second time"),
        ("profiles/embedded.yaml", "a: 1\nb: .inf\n", r"embedded\.yaml:2: \.inf can't be used; write a finite number"),
        ("small.yaml", PIPELINE.replace("${sizes.chunk}", "${components.splitter}"), "refers to the file itself"),
        ("small.yaml", PIPELINE.replace("${sizes.chunk}", "${..type}"), "refers to the file itself"),
        ("small.yaml", "a: \x07", "can't be read"),
        ("small.yaml", "a:\n  - " + "[" * 100_000, r"small\.yaml:\d+: nested more than 50 levels deep"),
        ("small.yaml", "a: " + "x" * 300_000, r"small\.yaml:1: the file is larger than 256 KiB"),
    ],
)
def test_what_is_wrong_is_refused(settings: Settings, name: str, text: str, message: str) -> None:
    (settings.pipelines_dir / name).write_text(text)

    with pytest.raises(ConfigError, match=message):
        resolve("small", settings=settings)


def test_unknown_names_are_refused_with_those_that_there_are(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="there is no pipeline 'large'; there are: small"):
        resolve("large", settings=settings)
    with pytest.raises(ConfigError, match="there is no profile 'cluster'; there are: embedded"):
        resolve("small", profile="cluster", settings=settings)


def test_what_haystack_refuses_is_a_config_error(settings: Settings) -> None:
    definition = resolve("small", settings=settings)
    definition["connections"][0]["receiver"] = "writer.nothing"

    with pytest.raises(ConfigError, match="the pipeline can't be built"):
        build(definition)


def test_components_can_be_left_out(settings: Settings) -> None:
    part = without(resolve("small", settings=settings), ["writer"])

    assert (list(part["components"]), part["connections"]) == (["splitter"], [])
    build(part)


def test_store_of_a_corpus_can_be_opened_alone(settings: Settings) -> None:
    assert open_store("keyword", "us-patent-law", settings=settings).count_documents() == 0
    with pytest.raises(ConfigError, match="defines no store 'vector'; it has: keyword"):
        open_store("vector", "us-patent-law", settings=settings)


def test_object_of_an_unknown_class_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"there is no class components\.stores\.missing\.Store"):
        instantiate({"type": "components.stores.missing.Store"})


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", "/srv/tansaku")
    monkeypatch.setenv("TANSAKU_PROFILE", "cluster")

    settings = Settings()

    assert settings.profile == "cluster"
    assert settings.index_dir("us-patent-law") == Path("/srv/tansaku/indexes/us-patent-law")
    assert settings.models_dir == Path("/srv/tansaku/models")


def test_what_has_no_model_is_left_out_of_a_query_pipeline() -> None:
    full = resolve("mpep_query", "embedded")

    lean = without_idle(full)

    assert set(full["components"]) - set(lean["components"]) == {"hyde_generator", "reranker"}
    assert {"sender": "loader.results", "receiver": "update_promoter.results"} in lean["connections"]
    assert not any("reranker" in end or "hyde" in end for c in lean["connections"] for end in c.values())
    # What has one stays, with its connections.
    full["components"]["reranker"]["init_parameters"]["ranker"] = {"type": "a.Ranker"}
    kept = without_idle(full)
    assert set(full["components"]) - set(kept["components"]) == {"hyde_generator"}
    assert {"sender": "loader.results", "receiver": "reranker.results"} in kept["connections"]
