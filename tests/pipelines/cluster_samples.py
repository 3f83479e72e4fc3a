"""The samples on servers. A new pair of servers is one line in CLUSTERS, a new pipeline one in QUESTIONS."""

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml
from pydantic import SecretStr

from tests.components.stores.opened_stores import delete_index, qdrant_client
from tests.conftest import PROJECT, TESTS, allow_word_embedders, index_sources, ready_search, write_word_profile

if TYPE_CHECKING:
    from pipelines.corpus_search import CorpusSearch
    from pipelines.mpep import MpepSearch
    from pipelines.settings import Settings

CLUSTERS = {"elasticsearch": "cluster", "opensearch": "opensearch"}
"""The keyword store's server, and the profile that uses it; Qdrant holds the vectors."""

_PATIENCE = 60

CORPORA = {
    "us-patent-law": [
        PROJECT / "samples/us_patent_law",
        TESTS / "components/converters/data/mpep-9015-appx-l.html",
    ],
    "company-docs": [PROJECT / "samples/company_docs" / name for name in ("情報システム部", "開発部", "notices")],
}
"""What is indexed."""

Ask = Callable[[Any, str], list[str]]


def passages(search: "CorpusSearch", question: str) -> list[str]:
    """Ids of the best ten passages."""
    return [hit["id"] for hit in search.search(question, top_k=10)["results"]]  # type: ignore[attr-defined]


def section(search: "MpepSearch", number: str) -> list[str]:
    """The texts of a section."""
    return [chunk["text"] for chunk in search.section(number)["chunks"]]


def questions() -> list[str]:
    """The questions over the samples."""
    file = PROJECT / "samples/us_patent_law_questions/queries.jsonl"
    return [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()]


class Asked(NamedTuple):
    """
    What is asked of a corpus.

    :param corpus: A key of CORPORA.
    :param ask: How.
    :param questions: What.
    """

    corpus: str
    ask: Ask
    questions: list[str]


QUESTIONS = {
    "mpep_query": Asked("us-patent-law", passages, questions()),
    "mpep_query by number": Asked(
        "us-patent-law",
        passages,
        ["MPEP 608.01(o)", "35 U.S.C. 112(b)", "37 CFR 1.75", "2106 and 2107", '"new matter" in the drawings'],
    ),
    "mpep sections": Asked("us-patent-law", section, ["608.01(o)", "2106", "35 USC 112", "37 CFR 1.75"]),
    "rag_query": Asked(
        "company-docs",
        passages,
        [
            "EV-2024-001の進捗",
            "VPNにつながらない",
            "サーバー障害の原因",
            '"パスワード" の変更',
            "battery monitor BM20",
            "お盆休み",
        ],
    ),
}
"""What each pipeline is asked, on servers and embedded."""


@dataclass(frozen=True)
class ClusterIndex:
    """
    The samples on servers.

    :param data_dir: The data folder, with the manifest.
    :param profile: The profile.
    :param prefix: What the indexes' names begin with.
    :param database_url: The PostgreSQL database of the manifest; None: a file.
    """

    data_dir: Path
    profile: Path
    prefix: str
    database_url: str | None = None

    def settings(self, **others: Any) -> "Settings":
        """The settings that name the index."""
        from pipelines.settings import Settings

        url = self.database_url and SecretStr(self.database_url)
        return Settings(data_dir=self.data_dir, index_prefix=self.prefix, database_url=url, **others)

    def search(self, corpus: str = "us-patent-law", **settings: Any) -> Any:
        """A search that is ready."""
        return ready_search(corpus, self.profile, self.settings(**settings))

    def hurried(self, arm: str) -> "ClusterIndex":
        """The same index with a profile that soon gives an arm up."""
        names = yaml.safe_load(self.profile.read_text(encoding="utf-8"))
        limited = names["server"] if arm == "keyword" else names["stores"]["vector"]["init_parameters"]
        limited["search_timeout"], names["budgets"] = 1, {arm: 2.0}
        profile = self.profile.with_name(f"hurried-{arm}.yaml")
        profile.write_text(yaml.safe_dump(names), encoding="utf-8")
        return replace(self, profile=profile)


@dataclass(frozen=True)
class Place:
    """
    Servers, and a folder for the rest.

    :param kind: A key of CLUSTERS.
    :param url: That server, or its nodes.
    :param qdrant_url: The Qdrant server.
    :param folder: An empty folder.
    :param database_url: The PostgreSQL database of the manifest; None: a file.
    """

    kind: str
    url: str
    qdrant_url: str
    folder: Path
    database_url: str | None = None


@contextmanager
def cluster_place(place: Place, corpora: Sequence[str]) -> Iterator[ClusterIndex]:
    """
    Settings and a profile for indexes on servers, with embedders that count words; they are deleted after the block.
    Answers may take long: no arm is given up because the machine is busy.

    :param place: The servers.
    :param corpora: What will be indexed.
    """
    profile = PROJECT / f"pipelines/yaml/profiles/{CLUSTERS[place.kind]}.yaml"
    names = yaml.safe_load(profile.read_text(encoding="utf-8"))
    names["server"]["search_timeout"] = names["stores"]["vector"]["init_parameters"]["search_timeout"] = _PATIENCE
    patient = {"reranker": None, "budgets": {}, "server": names["server"], "stores": names["stores"]}
    write_word_profile(profile, place.folder / "words.yaml", **patient)
    prefix = f"test-{uuid.uuid4().hex}"
    index = ClusterIndex(place.folder / "data", place.folder / "words.yaml", prefix, place.database_url)
    with pytest.MonkeyPatch.context() as patch:
        allow_word_embedders(patch)
        patch.setenv(f"{place.kind.upper()}_URL", place.url)
        patch.setenv("QDRANT_URL", place.qdrant_url)
        yield index
        remove_indexes(place, [f"{prefix}-{corpus}-g{number}" for corpus in corpora for number in (1, 2)])


def remove_indexes(place: Place, names: Sequence[str]) -> None:
    """Delete generations from the servers, where they are there."""
    for name in names:
        for store in ("keyword", "parents"):
            delete_index(place.url.partition(",")[0], f"{name}-{store}")
        with qdrant_client(place.qdrant_url) as client:
            client.delete(f"/collections/{name}-vectors")


@contextmanager
def cluster_samples(place: Place, corpora: Sequence[str] = ("us-patent-law",)) -> Iterator[ClusterIndex]:
    """
    Index the samples on servers, as the sample index is, by embedders that count words.

    :param place: The servers.
    :param corpora: Keys of CORPORA.
    """
    with cluster_place(place, corpora) as index:
        for corpus in corpora:
            index_sources(corpus, index.settings(), index.profile, CORPORA[corpus])
        yield index
