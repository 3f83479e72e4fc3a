"""The corpora that can be indexed and searched: which pipelines serve each, and how its files are recognised."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from pipelines import PROJECT
from pipelines.errors import ArgumentError

NO_SOURCE = "other"
"""The kind of files that have nothing to do with a corpus."""


class Recognition(Protocol):
    """What a file is: its kind; with an empty kind or that of `NO_SOURCE` the reason why it isn't used."""

    @property
    def kind(self) -> str: ...

    @property
    def detail(self) -> str: ...


@dataclass(frozen=True)
class Corpus:
    """
    A collection of documents that has an index of its own.

    :param name: As it is written on the command line.
    :param indexing: Name of the pipeline file that indexes it.
    :param query: Name of the pipeline file that searches it.
    :param samples: Folder of the project's own sample documents.
    :param recognizer: Dotted path of the function `(data, name) -> Recognition` that tells a file's kind.
    :param kinds: The kinds of files, those with the best editions of a record first.
    :param sidecar_suffix: What the name of the file ends in that stands beside a document and holds its metadata; empty
        where documents have none.
    """

    name: str
    indexing: str
    query: str
    samples: Path
    recognizer: str
    kinds: tuple[str, ...]
    sidecar_suffix: str = ""

    def rank(self, kind: str) -> int:
        """The place of a kind among those of the corpus; unknown ones come last."""
        return self.kinds.index(kind) if kind in self.kinds else len(self.kinds)

    def recognize(self, data: bytes, name: str) -> Recognition:
        """Tell a file's kind by its content."""
        module, _, function = self.recognizer.rpartition(".")
        recognize: Callable[[bytes, str], Recognition] = getattr(import_module(module), function)
        return recognize(data, name)


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            name="us-patent-law",
            indexing="mpep_indexing",
            query="mpep_query",
            samples=PROJECT / "samples" / "us_patent_law",
            recognizer="components.converters.recognition.recognize_us_patent_law",
            kinds=("uslm_xml", "ecfr_xml", "mpep_html", "federal_register", "mpep_appendix", "pdf", "beir"),
        ),
        Corpus(
            name="company-docs",
            indexing="rag_indexing",
            query="rag_query",
            samples=PROJECT / "samples" / "company_docs",
            recognizer="components.converters.company_recognition.recognize_company_document",
            kinds=("docx", "pptx", "xlsx", "pdf", "html", "markdown", "text", "csv", "email", "records"),
            sidecar_suffix=".yaml",
        ),
    )
}


def check_corpus(name: str, *able: str) -> None:
    """
    Refuse corpora that something can't be done with.

    :param name: As it is written on the command line.
    :param able: The corpora that it can be done with.
    :raises ArgumentError: When the corpus isn't one of them.
    """
    if name not in able:
        raise ArgumentError("corpus", name, "one of " + ", ".join(able))


def get_corpus(name: str) -> Corpus:
    """
    The corpus of that name.

    :param name: As it is written on the command line.
    :returns: The corpus.
    :raises ArgumentError: When there is none of that name.
    """
    check_corpus(name, *CORPORA)
    return CORPORA[name]
