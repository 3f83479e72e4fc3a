"""Models that find entities: GiNZA and others of spaCy, and token classifiers of Hugging Face."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from components.query.entity_labels import type_of_label

# GiNZA tells no scores. Of its entities in Wikipedia sentences about six in ten are what they are said to be.
_SPACY_SCORE = 0.6
# What finding entities doesn't need; leaving it out saves a tenth of the time.
_UNUSED = ("parser", "morphologizer", "attribute_ruler", "lemmatizer", "compound_splitter", "bunsetu_recognizer")
_BATCH = 64
_NER = "ner"


class EntityModelError(RuntimeError):
    """A model can't be loaded; the message says which, why and what to do."""


class ModelSpan(NamedTuple):
    """What a model found: characters of the text, the type ("" for a label that has none of ours) and a score."""

    start: int
    end: int
    type: str
    score: float


class EntityModel(Protocol):
    """Finds entities in texts; safe to use from several threads."""

    name: str
    version: str
    languages: frozenset[str]

    def find(self, texts: Sequence[str]) -> list[list[ModelSpan]]: ...


@lru_cache(maxsize=2)
def load_entity_model(name: str) -> EntityModel:
    """
    Load a model, once a process, however many pipelines use it.

    :param name: A package of spaCy, such as "ja_ginza", or a Hugging Face token-classification model by name or path.
    :returns: The model.
    :raises EntityModelError: When it can't be loaded.
    """
    import spacy.util

    if Path(name).is_dir() or not spacy.util.is_package(name):
        return TransformersEntityModel(name)
    return SpacyEntityModel(name)


class SpacyEntityModel:
    """
    A pipeline of spaCy, one text or batch at a time: Sudachi's tokenizer within GiNZA isn't for several threads.

    :param name: The package.
    :raises EntityModelError: When it can't be loaded.
    """

    def __init__(self, name: str):
        import spacy
        from thinc.api import use_ops

        try:
            # For products of a few rows, which a query makes, BLIS takes half as long again as NumPy.
            with use_ops("numpy", use_blis=False):
                self._nlp = spacy.load(name, exclude=list(_UNUSED))
        except Exception as error:  # whatever the package's own code raises
            raise EntityModelError(f"the entity model {name!r} can't be loaded: {error}") from error
        if not self._nlp.has_pipe(_NER):
            raise EntityModelError(f"the entity model {name!r} has no entity recogniser; choose one that has, or none")
        self.name = name
        self.version = str(self._nlp.meta.get("version", ""))
        self.languages = frozenset({str(self._nlp.lang), "mixed"})
        self._lock = threading.Lock()

    def find(self, texts: Sequence[str]) -> list[list[ModelSpan]]:
        """
        Find entities.

        :param texts: The texts.
        :returns: For each text its entities.
        """
        spans: list[list[ModelSpan]] = []
        for start in range(0, len(texts), _BATCH):
            with self._lock:
                documents = self._read(texts[start : start + _BATCH])
            # What was read holds a tensor a text, which isn't kept.
            spans += [
                [ModelSpan(e.start_char, e.end_char, type_of_label(e.label_), _SPACY_SCORE) for e in document.ents]
                for document in documents
            ]
        return spans

    def _read(self, texts: Sequence[str]) -> list[Any]:
        if self._nlp.pipe_names[-1] != _NER:
            return list(self._nlp.pipe(texts, batch_size=_BATCH))
        documents = list(self._nlp.pipe(texts, batch_size=_BATCH, disable=[_NER]))
        _recognise(self._nlp.get_pipe(_NER), documents)
        return documents


def _recognise(recogniser: Any, documents: Sequence[Any]) -> None:
    """
    What spaCy's recogniser does, step by step as in its training.

    Its own loop calls BLIS at each step for one row, which takes ten times as long; the entities are the same.
    """
    states = recogniser.moves.init_batch(documents)
    model = recogniser.model.predict(documents)
    unfinished = [state for state in states if not state.is_final()]
    while unfinished:
        unfinished = recogniser.transition_states(unfinished, model.predict(unfinished))
    recogniser.set_annotations(documents, states)


class TransformersEntityModel:
    """
    A token classifier of Hugging Face.

    :param name: Its name, or the path of its folder.
    :raises EntityModelError: When the package `transformers` is missing, or the model can't be loaded.
    """

    def __init__(self, name: str):
        try:
            from transformers import pipeline
        except ImportError as error:
            raise EntityModelError(
                f"the entity model {name!r} is no spaCy package; for one of Hugging Face: pip install tansaku[models]"
            ) from error
        try:
            self._classify: Any = pipeline("token-classification", model=name, aggregation_strategy="simple")
        except Exception as error:  # whatever the library raises: no such folder, no network, wrong files
            raise EntityModelError(f"the entity model {name!r} can't be loaded: {error}") from error
        self.name = name
        self.version = str(getattr(self._classify.model.config, "_commit_hash", None) or "")
        self.languages = frozenset({"ja", "en", "ko", "mixed"})
        self._lock = threading.Lock()

    def find(self, texts: Sequence[str]) -> list[list[ModelSpan]]:
        """
        Find entities.

        :param texts: The texts.
        :returns: For each text its entities.
        """
        with self._lock:
            found = self._classify(list(texts), batch_size=_BATCH)
        return [
            [
                ModelSpan(int(e["start"]), int(e["end"]), type_of_label(e["entity_group"]), round(float(e["score"]), 6))
                for e in entities
                if e["start"] is not None
            ]
            for entities in found
        ]
