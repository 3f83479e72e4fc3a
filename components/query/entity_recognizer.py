"""Finds what queries and chunks name: projects, products, persons, organisations, dates."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from haystack import Document, component, default_to_dict

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.japanese import pieces
from components.analysis.language_detector import detect_language
from components.lru_cache import LRUCache
from components.query.domain_terms import DomainTerms
from components.query.entity import PROJECT_ID, Entity, held_names, normalized_value
from components.query.entity_finder import EntityFinder
from components.query.entity_models import EntityModel, EntityModelError, ModelSpan, load_entity_model
from components.query.entity_rules import EntityRules

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0
_LONGEST_QUERY = 1000  # characters of a query that the model reads; rules and dictionary read all
_LONGEST_BYTES = 20_000  # Sudachi within GiNZA refuses much longer texts

Wanted = tuple[str, str, date | None]
"""A text, its language and the day that its relative dates are told from."""


@component
class EntityRecognizer:
    """
    Finds entities in a query, or in chunks: by rules, by the domain's vocabulary, by the names of Sudachi's dictionary,
    then by a model.

    Types are PROJECT_ID, PRODUCT, PERSON, ORG, DATE, DOCUMENT_ID and EMAIL. Each entity has a `value` that is the same
    for all spellings: 令和8年5月20日 and 2026/5/20 are "2026-05-20", 髙橋 健 and 高橋健 are "高橋健". Where entities
    overlap, identifiers come first, then vocabulary and rules, then names, then the model.

    A model that can't be loaded or run costs only what it alone would have found: `degraded` says "entities" then.

    Usage example:

    ```python
    recognizer = EntityRecognizer(rules="config/entities.yaml", vocabulary="config/domain_terms.yaml")
    recognizer.run(query="ＥＶ－２０２４－００１の髙橋さん")["entities"][0]["value"]  # "EV-2024-001"
    ```
    """

    def __init__(
        self,
        rules: str | None = None,
        vocabulary: str | None = None,
        model: str | None = "ja_ginza",
        cache_size: int = 1000,
        today: Callable[[], date] | None = None,
    ):
        """
        :param rules: The file of rules; None finds dates and names alone.
        :param vocabulary: The file of domain terms.
        :param model: A spaCy package ("ja_ginza") or a Hugging Face token-classification model by name or path; None
            for no model.
        :param cache_size: How many queries are remembered; 0 remembers nothing.
        :param today: Tells the day that a query's "yesterday" is told from; by default the machine's clock.
        :raises ValueError: If a file is wrong, with its line, or `cache_size` is below 0.
        """
        self.rules = rules
        self.vocabulary = vocabulary
        self.model = model
        self.cache_size = cache_size
        self._today = today or date.today
        self._terms = DomainTerms(Path(vocabulary)) if vocabulary else None
        self._finder = EntityFinder(EntityRules.read(Path(rules)) if rules else EntityRules(), self._terms)
        self._cache: LRUCache[Any, tuple[Entity, ...]] = LRUCache(cache_size)
        self._loaded: EntityModel | None = None
        self._error = ""
        self._retry_at = 0.0
        self._lock = threading.Lock()

    def to_dict(self) -> dict[str, Any]:
        """
        Serialise the component.

        :returns: The serialised form, without the clock.
        """
        return default_to_dict(
            self, rules=self.rules, vocabulary=self.vocabulary, model=self.model, cache_size=self.cache_size
        )

    def warm_up(self) -> None:
        """
        Load dictionary and model, once. A failure is logged, shows in `health` and `degraded`, and is tried again after
        half a minute.
        """
        if self.model is None or self._loaded is not None:
            return
        with self._lock:
            if self._loaded is not None or time.monotonic() < self._retry_at:
                return
            try:
                model = load_entity_model(self.model)
                model.find(["準備"])
                self._loaded, self._error = model, ""
            except Exception as error:  # whatever the model's own code raises
                self._failed(error)
        self._finder.find("準備")

    def health(self) -> dict[str, Any]:
        """
        What the model is and whether it works.

        :returns: "model", "version", "ready", "error" ("" when nothing failed) and "cache".
        """
        return {
            "model": self.model or "",
            "version": self._loaded.version if self._loaded else "",
            "ready": self.model is None or self._loaded is not None,
            "error": self._error or (self._terms.error if self._terms else ""),
            "cache": self._cache.info(),
        }

    @component.output_types(entities=list[dict[str, Any]], documents=list[Document], degraded=list[str])
    def run(
        self,
        query: str = "",
        analysis: AnalyzedText | None = None,
        documents: list[Document] | None = None,
        enabled: bool = True,
    ) -> dict[str, Any]:
        """
        Find entities.

        :param query: A query as typed.
        :param analysis: The query, analysed; its text and language count in place of `query`.
        :param documents: Chunks. Relative dates in them are told from `meta["updated_at"]`, or left out.
        :param enabled: Whether entities are wanted.
        :returns: `entities` of the query, each with text, type, start, end, value, score and source; `documents` with
            `meta["entities"]`, "TYPE:value" strings for filters, of text and title; `degraded`.
        """
        if not enabled:
            return {"entities": [], "documents": documents or [], "degraded": []}
        self.warm_up()
        text = analysis.text if analysis else query
        wanted = [(text, analysis.language if analysis else detect_language(text), self._today())] if text else []
        found, model_worked = self._find(wanted, remember=True)
        chunks, chunks_worked = self._with_entities(documents or [])
        return {
            "entities": [entity.to_dict() for entity in (found[0] if found else ())],
            "documents": chunks,
            "degraded": [] if model_worked and chunks_worked else ["entities"],
        }

    def _with_entities(self, documents: Sequence[Document]) -> tuple[list[Document], bool]:
        parts = [_wanted(document) for document in documents]
        wanted = list(dict.fromkeys(part for both in parts for part in both))
        found, model_worked = self._find(wanted, remember=False)
        entities = dict(zip(wanted, found, strict=True))
        chunks = []
        for document, both in zip(documents, parts, strict=True):
            project = str(document.meta.get("project_id") or "")
            names = [f"{PROJECT_ID}:{normalized_value(PROJECT_ID, project)}"] if project else []
            names += [name for part in both for entity in entities[part] for name in held_names(entity)]
            chunks.append(replace(document, meta={**document.meta, "entities": list(dict.fromkeys(names))}))
        return chunks, model_worked

    def _find(self, wanted: Sequence[Wanted], remember: bool) -> tuple[list[tuple[Entity, ...]], bool]:
        """The entities of some texts, and whether the model did what it should."""
        version = self._terms.version if self._terms else None
        known = [self._cache.get((*one, version)) if remember else None for one in wanted]
        missing = [one for one, entities in zip(wanted, known, strict=True) if entities is None]
        # A query of thousands of characters would keep the model from all others for seconds.
        read = [(text[:_LONGEST_QUERY] if remember else text, language, day) for text, language, day in missing]
        spans = self._model_spans(read)
        worked = self.model is None or spans is not None
        fresh = {
            one: self._finder.find(one[0], one[2], found)
            for one, found in zip(missing, spans or [()] * len(missing), strict=True)
        }
        if remember and worked:
            for one, entities in fresh.items():
                self._cache.put((*one, version), entities)
        both = zip(wanted, known, strict=True)
        return [entities if entities is not None else fresh[one] for one, entities in both], worked or not missing

    def _model_spans(self, wanted: Sequence[Wanted]) -> list[Sequence[ModelSpan]] | None:
        """What the model finds in texts of its languages; None if it doesn't work."""
        if self._loaded is None:
            return None
        cut = [
            (place, start, piece)
            for place, (text, language, _) in enumerate(wanted)
            if text.strip() and language in self._loaded.languages
            for start, piece in pieces(text, _LONGEST_BYTES)
        ]
        try:
            found = self._loaded.find([piece for _, _, piece in cut]) if cut else []
        except Exception as error:  # whatever the model's own code raises
            self._failed(error)
            return None
        spans: list[list[ModelSpan]] = [[] for _ in wanted]
        for (place, start, _), own in zip(cut, found, strict=True):
            spans[place] += [span._replace(start=span.start + start, end=span.end + start) for span in own]
        return list(spans)

    def _failed(self, error: Exception) -> None:
        self._retry_at = time.monotonic() + _RETRY_SECONDS
        self._error = str(error) if isinstance(error, EntityModelError) else f"{type(error).__name__}: {error}"
        logger.warning("entities are found without the model: %s", self._error)


def _wanted(document: Document) -> tuple[Wanted, Wanted]:
    """A chunk's title and text."""
    meta = document.meta
    title, text = str(meta.get("title") or ""), document.content or ""
    try:
        day = date.fromisoformat(str(meta.get("updated_at"))[:10])
    except ValueError:
        day = None
    language = str(meta.get("language") or detect_language(text))
    return (title, language, day), (text, language, day)
