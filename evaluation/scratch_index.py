"""An index of a dataset's corpus, built by a pipeline's own indexing components and kept for the next evaluation."""

import gc
import hashlib
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from pipelines.corpora import get_corpus
from pipelines.errors import ConfigError, IndexDamagedError, StoreError, TansakuError
from pipelines.indexing import IndexRun
from pipelines.loading import Definition, pipeline_path, read_yaml, resolve
from pipelines.production import KEYWORD_WRITER, PARENTS_WRITER
from pipelines.scanning import Progress
from pipelines.settings import Settings

logger = logging.getLogger(__name__)


class ScratchSettings(Settings):
    """
    Settings of an index apart from the user's own, with the models that are prepared already.

    :param models: The folder of prepared models.
    """

    models: Path

    @property
    def models_dir(self) -> Path:
        return self.models


@dataclass(frozen=True)
class ScratchIndex:
    """
    An index that is ready to be searched.

    :param settings: Where it is.
    :param corpus: The corpus that its pipelines belong to.
    :param chunks: How many chunks it holds.
    """

    settings: Settings
    corpus: str
    chunks: int


def build_scratch_index(
    corpus_path: Path,
    name: str,
    pipeline: str,
    profile: str | None,
    keep: Path | None,
    fresh: bool,
    progress: Progress,
) -> ScratchIndex:
    """
    Index a corpus in a folder of its own, or bring the one that is there up to date.

    The folder belongs to the corpus's content. What was indexed there before is used again, as far as neither the
    indexing pipeline nor the code behind it changed; where they did, only texts that came out differently are embedded
    again.

    :param corpus_path: The dataset's corpus file.
    :param name: The dataset's name, for people who look into the folder.
    :param pipeline: The query pipeline; its `corpus:` says which pipeline indexes.
    :param profile: Which stores and embedder; that of the settings by default.
    :param keep: The folder that holds such folders; below the data folder by default.
    :param fresh: Throw away what was indexed before.
    :param progress: Called with a step's name, what is done and what there is to do.
    :returns: The index.
    :raises TansakuError: If the corpus can't be indexed.
    """
    own = Settings()
    path = pipeline_path(pipeline, own)
    corpus_name = read_yaml(path).get("corpus")
    if not isinstance(corpus_name, str):
        raise ConfigError(f"{path}: `corpus:` is missing; it names the corpus that the pipeline works on")
    data = corpus_path.read_bytes()
    key = hashlib.sha256(f"{profile or own.profile}\n".encode() + data).hexdigest()[:16]
    folder = (keep or own.data_dir.expanduser() / "evaluation").absolute() / f"{name}-{key}"
    if fresh and folder.exists():
        gc.collect()  # stores of an earlier evaluation in this process let go of their files
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # A copy, because an index remembers where its sources are, and the same corpus may come from another folder.
    copy = folder / corpus_path.name
    if not copy.is_file() or copy.stat().st_size != len(data):
        shutil.copyfile(corpus_path, copy)
    # On servers, too, it stands apart from the user's own index.
    prefix = f"{own.index_prefix}-evaluation-{key}"
    settings = ScratchSettings(data_dir=folder, models=own.models_dir, database_url=None, index_prefix=prefix)
    corpus = get_corpus(corpus_name)
    try:
        report = IndexRun(corpus, settings, profile, progress).run([copy])
    except (StoreError, IndexDamagedError) as error:
        logger.warning("What was indexed before can't be used: %s", error)
        if isinstance(error, IndexDamagedError):
            shutil.rmtree(settings.index_dir(corpus_name))
        else:
            _remove_keyword_stores(resolve(corpus.indexing, profile, settings))
        report = IndexRun(corpus, settings, profile, progress).run([copy])
    if report.failures:
        raise TansakuError(f"{corpus_path}: {report.failures[0].reason}")
    if not report.chunks:
        raise TansakuError(f"{corpus_path}: nothing in it can be searched")
    logger.info("%s: %d chunks, %s", name, report.chunks, report.seconds)
    return ScratchIndex(settings, corpus_name, report.chunks)


def _remove_keyword_stores(definition: Definition) -> None:
    """Make room for keyword stores with other fields. The vectors stay; the next run fills the stores again."""
    gc.collect()
    for name in (KEYWORD_WRITER, PARENTS_WRITER):
        writer = definition["components"].get(name) or {}
        store = (writer.get("init_parameters") or {}).get("document_store") or {}
        path = (store.get("init_parameters") or {}).get("path")
        if path:
            shutil.rmtree(path, ignore_errors=True)
