"""Whether a generation of an index is fit to be searched."""

from contextlib import ExitStack

from pipelines.corpora import Corpus
from pipelines.counting import counted
from pipelines.doctor import Doctor, Findings
from pipelines.generations import chosen_generation, chosen_manifest
from pipelines.index_report import IndexReport
from pipelines.index_stores import open_stores
from pipelines.loading import resolve
from pipelines.manifest import Manifest
from pipelines.manifest_database import database_exists, manifest_place
from pipelines.settings import Settings

_SAMPLES = 50
_FOUND_SHARE = 0.9  # an approximate search misses some
_SAME = 0.99


def find_problems(
    corpus: Corpus, settings: Settings, profile: str | None, report: IndexReport, before: int
) -> list[str]:
    """
    Compare a new generation with its manifest and with the generation before, and try some of its chunks.

    :param corpus: Whose index.
    :param settings: Name the new generation.
    :param profile: Which stores.
    :param report: Of the run that filled it.
    :param before: The number of the generation that is searched.
    :returns: What speaks against searching the new one; nothing when it is fit.
    """
    if not report.chunks:
        return ["there is nothing in it to search"]
    problems = _differences(Doctor(corpus, settings, profile).examine())
    if lost := _lost_sources(corpus, settings, report, before):
        problems.append(f"{counted(len(lost), 'source')} can't be read any more, for example {min(lost)}")
    return problems or _sample_problems(corpus, settings, profile)


def _differences(findings: Findings) -> list[str]:
    problems = [
        f"the {name} store differs from the manifest ({len(store.missing)} missing, {len(store.unknown)} unknown)"
        for name, store in findings.stores.items()
        if store.differs
    ]
    if findings.unfinished:
        problems.append(f"{counted(findings.unfinished, 'source')} still to be indexed")
    if findings.without_vectors:
        problems.append(f"{counted(findings.without_vectors, 'chunk')} without vectors")
    return problems


def _lost_sources(corpus: Corpus, settings: Settings, report: IndexReport, before: int) -> set[str]:
    """Sources that the generation before could read."""
    known = manifest_place(settings, corpus.name, before)
    if before == chosen_generation(settings, corpus.name) or not database_exists(known):
        return set()
    with Manifest(known) as manifest:
        readable = manifest.rows("SELECT origin FROM sources WHERE reason = '' AND unreadable = ''")
    return {row["origin"] for row in readable} & {failure.origin for failure in report.failures}


def _sample_problems(corpus: Corpus, settings: Settings, profile: str | None) -> list[str]:
    """Whether some chunks come back from their stores, and are found by their own vectors."""
    with Manifest(chosen_manifest(settings, corpus.name)) as manifest:
        step = max(manifest.count_chunks() // _SAMPLES, 1)
        ids = manifest.stream("SELECT id FROM chunks WHERE text_hash IS NOT NULL ORDER BY id")
        sample = [row["id"] for place, row in enumerate(ids) if place % step == 0]
    stores = open_stores(resolve(corpus.indexing, profile, settings, corpus.name))
    with ExitStack() as stack:
        for store in stores.values():
            stack.callback(store.close)
        texts = {chunk.id for chunk in stores["keyword"].get_many(sample) if chunk.content}
        if missing := sorted(set(sample) - texts):
            return [f"{counted(len(missing), 'sample')} not in the keyword store, for example {missing[0]}"]
        if "vector" not in stores:
            return []
        lost = []
        for id, vector in stores["vector"].get_vectors(sample).items():
            hits = stores["vector"].search(list(vector), top_k=1)
            if not hits or hits[0][1] < _SAME:
                lost.append(id)
        if len(lost) > (1 - _FOUND_SHARE) * len(sample):
            return [f"{counted(len(lost), 'sample')} not found by its own vector, for example {min(lost)}"]
    return []
