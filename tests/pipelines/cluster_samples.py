"""The samples on servers. A new pair of servers is one line in CLUSTERS, a new pipeline one in QUESTIONS."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.components.stores.opened_stores import delete_index, qdrant_client
from tests.conftest import PROJECT, TESTS, allow_word_embedders

if TYPE_CHECKING:
    from pipelines.mpep import MpepSearch

CLUSTERS = {"elasticsearch": "cluster", "opensearch": "opensearch"}
"""The keyword store's server, and the profile that uses it; Qdrant holds the vectors."""

Ask = Callable[["MpepSearch", str], list[str]]


def passages(search: "MpepSearch", question: str) -> list[str]:
    """Ids of the best ten passages."""
    return [hit["id"] for hit in search.search(question, top_k=10)["results"]]


def section(search: "MpepSearch", number: str) -> list[str]:
    """The texts of a section."""
    return [chunk["text"] for chunk in search.section(number)["chunks"]]


def questions() -> list[str]:
    """The questions over the samples."""
    file = PROJECT / "samples/us_patent_law_questions/queries.jsonl"
    return [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]


QUESTIONS: dict[str, tuple[Ask, list[str]]] = {
    "mpep_query": (passages, questions()),
    "mpep_query by number": (
        passages,
        ["MPEP 608.01(o)", "35 U.S.C. 112(b)", "37 CFR 1.75", "2106 and 2107", '"new matter" in the drawings'],
    ),
    "mpep sections": (section, ["608.01(o)", "2106", "35 USC 112", "37 CFR 1.75"]),
}
"""What each pipeline is asked, on servers and embedded."""


@dataclass(frozen=True)
class ClusterIndex:
    """
    The samples on servers.

    :param data_dir: The data folder, with the manifest.
    :param profile: The profile.
    :param prefix: What the indexes' names begin with.
    """

    data_dir: Path
    profile: Path
    prefix: str

    def search(self, **settings: Any) -> "MpepSearch":
        """A search that is ready."""
        from pipelines.mpep import MpepSearch
        from pipelines.settings import Settings

        search = MpepSearch(str(self.profile), Settings(data_dir=self.data_dir, index_prefix=self.prefix, **settings))
        with pytest.MonkeyPatch.context() as patch:
            allow_word_embedders(patch)
            search.warm_up()
        return search


@contextmanager
def cluster_samples(kind: str, url: str, qdrant_url: str, folder: Path) -> Iterator[ClusterIndex]:
    """
    Index the samples on servers, as the sample index is, by embedders that count words.

    :param kind: A key of CLUSTERS.
    :param url: That server.
    :param qdrant_url: The Qdrant server.
    :param folder: An empty folder.
    """
    profile = PROJECT / f"pipelines/yaml/profiles/{CLUSTERS[kind]}.yaml"
    names = yaml.safe_load(profile.read_text(encoding="utf-8"))
    names["reranker"] = None
    names["embedder"] = {
        "query": {"type": "word_embedders.WordTextEmbedder"},
        "passage": {"type": "word_embedders.WordDocumentEmbedder"},
    }
    (folder / "words.yaml").write_text(yaml.safe_dump(names), encoding="utf-8")
    index = ClusterIndex(folder / "data", folder / "words.yaml", f"test-{uuid.uuid4().hex}")
    with pytest.MonkeyPatch.context() as patch:
        allow_word_embedders(patch)
        patch.setenv(f"{kind.upper()}_URL", url)
        patch.setenv("QDRANT_URL", qdrant_url)
        from pipelines.corpora import get_corpus
        from pipelines.indexing import IndexRun
        from pipelines.settings import Settings

        settings = Settings(data_dir=index.data_dir, index_prefix=index.prefix)
        statutes = TESTS / "components/converters/data/mpep-9015-appx-l.html"
        report = IndexRun(get_corpus("us-patent-law"), settings, str(index.profile)).run(
            [PROJECT / "samples/us_patent_law", statutes]
        )
        assert report.failures == []
        yield index
        for name in ("keyword", "parents"):
            delete_index(url, f"{index.prefix}-us-patent-law-g1-{name}")
        with qdrant_client(qdrant_url) as client:
            client.delete(f"/collections/{index.prefix}-us-patent-law-g1-vectors").raise_for_status()
