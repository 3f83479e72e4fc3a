"""Proves an index by searches: some of its own titles, and questions with known answers."""

from dataclasses import dataclass
from pathlib import Path

from evaluation.arms import QueryArms
from evaluation.datasets import load_dataset
from evaluation.evaluate import ask
from evaluation.metrics import MEASURES
from evaluation.report import build_report
from pipelines.corpora import Corpus
from pipelines.errors import ArgumentError
from pipelines.generations import chosen_manifest
from pipelines.loading import open_store
from pipelines.manifest import Manifest
from pipelines.scanning import Progress, no_progress
from pipelines.settings import Settings

_SAMPLES = 10


@dataclass(frozen=True)
class Floor:
    """
    What a pipeline must reach on some questions.

    :param measure: The measure, "nDCG@10".
    :param least: The least value that is good enough.
    """

    measure: str
    least: float

    @classmethod
    def read(cls, text: str) -> "Floor":
        """
        Read what `--floor` takes.

        :param text: "nDCG@10=0.68".
        :returns: The floor.
        :raises ArgumentError: When it is none.
        """
        measure, _, value = text.partition("=")
        try:
            least = float(value)
        except ValueError:
            least = -1.0
        if measure not in MEASURES or not 0 <= least <= 1:
            form = f"MEASURE=VALUE with one of {', '.join(MEASURES)} and a value from 0 to 1"
            raise ArgumentError("--floor", text, form)
        return cls(measure, least)


class IndexProof:
    """
    Searches a generation of an index before it is used.

    Usage example:
    ```python
    proof = IndexProof(get_corpus("us-patent-law"), None, Path("my-questions"), Floor("nDCG@10", 0.68))
    keeper.rebuild(paths, proof=proof.problems)
    ```

    :param corpus: Whose index.
    :param profile: Which stores and models; that of the settings by default.
    :param questions: A folder in BEIR's layout whose documents are in the index.
    :param floor: What the pipeline must reach on them.
    :param progress: Called with a step's name, what is done and what there is to do.
    """

    def __init__(
        self,
        corpus: Corpus,
        profile: str | None,
        questions: Path | None = None,
        floor: Floor | None = None,
        progress: Progress = no_progress,
    ):
        self._corpus, self._profile, self._progress = corpus, profile, progress
        self._floor = floor
        self._dataset = load_dataset(questions) if questions else None

    def problems(self, settings: Settings) -> list[str]:
        """
        What is wrong with an index.

        :param settings: Name the generation.
        :returns: The problems; nothing when it is good enough.
        """
        arms = QueryArms(self._corpus.query, self._profile, settings)
        problems = []
        for title in self._titles(settings):
            found = arms.run(title)
            problems += [f"no answer to {title!r} by {arm}" for arm, ids in found.items() if not ids]
        if problems or self._dataset is None or self._floor is None:
            return problems
        report = build_report(self._dataset, ask(arms, self._dataset, self._progress))
        value = report["arms"]["pipeline"][self._floor.measure]
        if value < self._floor.least:
            return [f"{self._floor.measure} on {self._dataset.name} is {value:.4f}, below {self._floor.least}"]
        return []

    def _titles(self, settings: Settings) -> list[str]:
        """Titles of some records, spread over the index."""
        with Manifest(chosen_manifest(settings, self._corpus.name)) as manifest:
            rows = manifest.rows("SELECT id FROM chunks WHERE text_hash IS NOT NULL ORDER BY id")
        ids = [row["id"] for row in rows][:: max(len(rows) // _SAMPLES, 1)]
        store = open_store("keyword", self._corpus.name, self._profile, settings)
        try:
            chunks = store.get_many(ids)
        finally:
            store.close()
        return [title for title in dict.fromkeys(str(chunk.meta.get("title") or "") for chunk in chunks) if title]
