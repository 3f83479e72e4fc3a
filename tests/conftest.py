"""What holds for all tests, and the index of the samples that several of them search."""

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import yaml

# Before any test imports Haystack: tests tell nobody anything.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

if TYPE_CHECKING:
    from pipelines.settings import Settings

TESTS = Path(__file__).parent
PROJECT = TESTS.parent


@dataclass(frozen=True)
class SampleIndex:
    """
    An index of the sample corpus and of the statutes of our own in converters/data, by embedders that count words.

    :param data_dir: A data folder with the index.
    :param profile: The profile it was built with.
    """

    data_dir: Path
    profile: Path

    def search(self, corpus: str = "us-patent-law") -> Any:
        """A search that is ready."""
        from pipelines.settings import Settings

        return ready_search(corpus, self.profile, Settings(data_dir=self.data_dir))


def ready_search(corpus: str, profile: Path, settings: "Settings") -> Any:
    """A search over a corpus that is ready."""
    from pipelines.mpep import MpepSearch
    from pipelines.rag import RagSearch

    searches: dict[str, type[MpepSearch | RagSearch]] = {"us-patent-law": MpepSearch, "company-docs": RagSearch}
    search = searches[corpus](str(profile), settings)
    with pytest.MonkeyPatch.context() as patch:
        allow_word_embedders(patch)
        search.warm_up()
    return search


def write_word_profile(profile: Path, path: Path, **others: Any) -> None:
    """Write a profile that is like another one but for embedders that count words, and what else is given."""
    names = yaml.safe_load(profile.read_text(encoding="utf-8"))
    names["embedder"] = {
        "query": {"type": "word_embedders.WordTextEmbedder"},
        "passage": {"type": "word_embedders.WordDocumentEmbedder"},
    }
    path.write_text(yaml.safe_dump({**names, **others}), encoding="utf-8")


def index_sources(corpus: str, settings: "Settings", profile: Path, sources: list[Path]) -> None:
    """Bring an index with word vectors up to date; all of the sources must be readable."""
    with pytest.MonkeyPatch.context() as patch:
        allow_word_embedders(patch)
        from pipelines.corpora import get_corpus
        from pipelines.indexing import IndexRun

        report = IndexRun(get_corpus(corpus), settings, str(profile)).run(sources)
    assert report.failures == []


def allow_word_embedders(patch: pytest.MonkeyPatch) -> None:
    """Make the embedders that count words importable for pipelines."""
    patch.syspath_prepend(str(TESTS / "evaluation"))
    patch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*,word_embedders")


@pytest.fixture(scope="session")
def search_server() -> Iterator[Callable[[str], str]]:
    """
    URLs of servers by their kind: `elasticsearch`, `opensearch` or `qdrant`.

    Those that ELASTICSEARCH_URL, OPENSEARCH_URL and QDRANT_URL (with QDRANT_API_KEY) name; others are started when
    first asked for and stop at the end.
    """
    from tests.servers.qdrant.process import QdrantServer
    from tests.servers.search_server import SearchServer

    with ExitStack() as servers:

        @cache
        def url(kind: str) -> str:
            server = QdrantServer() if kind == "qdrant" else SearchServer(kind)
            return os.environ.get(f"{kind.upper()}_URL") or servers.enter_context(server).url

        yield url


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a PostgreSQL server: that of POSTGRES_URL, or of one that is started and stops at the end."""
    from tests.servers.postgres_server import PostgresServer

    if url := os.environ.get("POSTGRES_URL"):
        yield url
        return
    with PostgresServer() as server:
        yield server.url


@contextmanager
def new_database(postgres_server: str) -> Iterator[str]:
    """The URL of an empty database while the block runs."""
    import psycopg

    name = f"tansaku_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        yield urlsplit(postgres_server)._replace(path=f"/{name}").geturl()
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty database, for one test."""
    with new_database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> SampleIndex:
    """The samples, indexed once for all tests; don't change it."""
    folder = tmp_path_factory.mktemp("samples")
    write_word_profile(PROJECT / "pipelines/yaml/profiles/embedded.yaml", folder / "words.yaml")
    index = SampleIndex(folder / "data", folder / "words.yaml")
    from pipelines.settings import Settings

    statutes = TESTS / "components/converters/data/mpep-9015-appx-l.html"
    sources = [PROJECT / "samples/us_patent_law", statutes]
    index_sources("us-patent-law", Settings(data_dir=index.data_dir), index.profile, sources)
    return index


@pytest.fixture
def sample_data(sample_index: SampleIndex, monkeypatch: pytest.MonkeyPatch) -> SampleIndex:
    """The samples' index as the one that the environment names."""
    allow_word_embedders(monkeypatch)
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(sample_index.data_dir))
    monkeypatch.setenv("TANSAKU_PROFILE", str(sample_index.profile))
    return sample_index


@pytest.fixture
def keyword_index(sample_data: SampleIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SampleIndex:
    """A copy of the samples' index that has no vectors yet."""
    shutil.copytree(sample_data.data_dir, tmp_path / "keyword-only", ignore=shutil.ignore_patterns("vectors"))
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path / "keyword-only"))
    return SampleIndex(tmp_path / "keyword-only", sample_data.profile)
