"""Finds other ways to put a query: by rule, by a language model, or by both."""

import logging
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from haystack import component, default_to_dict
from haystack.components.builders import PromptBuilder
from haystack.components.generators.chat.types import ChatGenerator

from components.analysis.analyzed_text import AnalyzedText
from components.lru_cache import LRUCache
from components.optional_service import OptionalService, Unavailable, from_dict_or_unavailable, part_to_dict
from components.query.chat_call import ask
from components.query.domain_terms import DomainTerms
from components.query.expansion_guard import (
    Expansion,
    cosine_reason,
    cosines,
    read_answer,
    text_reason,
    without_surplus,
)
from components.query.protected_spans import ProtectedSpans
from components.query.rule_expansion import RuleExpansion
from components.query.synonym_groups import SynonymGroups

logger = logging.getLogger(__name__)

BACKENDS = ("rule", "llm", "hybrid")
RULE, LLM = "rule", "llm"
DEFAULT_PROMPT = """Write {{ count }} other ways to put the search query below, in its language: with synonyms, \
other spellings and related terms that documents may use. Keep numbers, identifiers and quoted phrases as they are. \
Answer with this JSON and nothing else: {"expansions": ["...", "..."]}

Query: {{ query }}"""
_DEGRADED = "query_expander"
_LONGEST_QUERY = 1000


class TextEmbedder(Protocol):
    """Embeds texts, such as `components.embedders.E5TextEmbedder`."""

    def run(self, texts: list[str]) -> dict[str, Any]: ...


class _Judged(NamedTuple):
    """What became of a model's answer; `failure` says why there was none that can be used."""

    expansions: tuple[Expansion, ...] = ()
    failure: str = ""


@component
class QueryExpander:
    """
    Gives variants of a query to be searched beside it.

    "rule" puts names of the domain's vocabulary and synonyms in each other's place, "llm" asks a language model, and
    "hybrid" does both, rules first. Numbers are never changed, quoted phrases never expanded; a query that is nothing
    else has no variants. Of the model's answer only the JSON {"expansions": [...]} counts, and only expansions that are
    neither too alike nor too far. Where none is left, rules take its place and `degraded` says so.

    Usage example:

    ```python
    expander = QueryExpander(vocabulary="config/domain_terms.yaml", synonyms="config/synonyms")
    expander.run(query="有休の申請")["queries"]  # ["有休の申請", "有給休暇の申請", "年休の申請"]
    ```
    """

    def __init__(
        self,
        backend: str = "rule",
        vocabulary: str | None = None,
        synonyms: str | None = None,
        chat_generator: ChatGenerator | None = None,
        text_embedder: TextEmbedder | None = None,
        max_expansions: int = 3,
        timeout: float = 2.0,
        max_tokens: int | None = 200,
        prompt: str = DEFAULT_PROMPT,
        cache_size: int = 1000,
        min_similarity: float = 0.85,
        max_similarity: float = 0.985,
        max_failures: int = 5,
        pause: float = 15.0,
    ):
        """
        :param backend: "rule", "llm" or "hybrid".
        :param vocabulary: The file of domain terms.
        :param synonyms: The folder of files with groups of synonyms.
        :param chat_generator: A Haystack chat generator, for example `OpenAIChatGenerator` for any endpoint that speaks
            OpenAI's protocol; without one every backend is "rule".
        :param text_embedder: Embeds query and expansions for the model's to be judged by; None judges by letters alone.
        :param max_expansions: How many variants at most, beside the query.
        :param timeout: Seconds that an answer may take, 0.05 or more.
        :param max_tokens: Sent as `max_tokens`, unless the generator's own `generation_kwargs` set a limit.
        :param prompt: A Jinja template with the variable `query`, and `count`, how many expansions are wanted.
        :param cache_size: Queries whose answer is remembered; failures aren't. 0 remembers nothing.
        :param min_similarity: An expansion of a lower cosine to the query is too far; the default is for E5's cosines.
        :param max_similarity: One of a higher cosine is too alike.
        :param max_failures: Failures of the endpoint in a row after which it isn't asked for `pause` seconds.
        :param pause: See `max_failures`.
        :raises ValueError: If a value is out of range, a file is wrong, or the prompt has no `query`.
        """
        if backend not in BACKENDS:
            raise ValueError(f"backend: {backend!r} is not allowed; it must be one of {', '.join(BACKENDS)}")
        if max_expansions < 0:
            raise ValueError(f"max_expansions: {max_expansions!r} is not allowed; it must be 0 or more")
        if timeout < 0.05:
            raise ValueError(f"timeout: {timeout!r} is not allowed; it must be 0.05 or more")
        if not -1 <= min_similarity < max_similarity <= 1:
            raise ValueError(
                f"min_similarity: {min_similarity!r} is not allowed; it must be below max_similarity "
                f"({max_similarity!r}), both from -1 to 1"
            )
        self.backend = backend
        self.vocabulary = vocabulary
        self.synonyms = synonyms
        self.chat_generator = chat_generator
        self.text_embedder = text_embedder
        self.max_expansions = max_expansions
        self.timeout = timeout
        self.max_tokens = max_tokens
        self.prompt = prompt
        self.cache_size = cache_size
        self.min_similarity = min_similarity
        self.max_similarity = max_similarity
        self.max_failures = max_failures
        self.pause = pause
        self._terms = DomainTerms(Path(vocabulary)) if vocabulary else None
        self._synonyms = SynonymGroups(Path(synonyms)) if synonyms else None
        self._rules = RuleExpansion(self._terms, self._synonyms)
        self._builder = PromptBuilder(template=prompt, required_variables=["query"])
        if "query" not in self._builder.variables:
            raise ValueError(f"prompt: {prompt!r} is not allowed; it must hold the variable {{{{ query }}}}")
        self._service = OptionalService("query expander", timeout, max_failures, pause)
        self._cache: LRUCache[str, _Judged] = LRUCache(cache_size)

    def to_dict(self) -> dict[str, Any]:
        """
        Serialise the component.

        :returns: The serialised form.
        """
        return default_to_dict(
            self,
            backend=self.backend,
            vocabulary=self.vocabulary,
            synonyms=self.synonyms,
            chat_generator=part_to_dict(self.chat_generator, "chat_generator"),
            text_embedder=part_to_dict(self.text_embedder, "text_embedder"),
            max_expansions=self.max_expansions,
            timeout=self.timeout,
            max_tokens=self.max_tokens,
            prompt=self.prompt,
            cache_size=self.cache_size,
            min_similarity=self.min_similarity,
            max_similarity=self.max_similarity,
            max_failures=self.max_failures,
            pause=self.pause,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "QueryExpander":
        """
        Deserialise the component; a chat generator that can't be made (no key set) degrades its answers only.

        :param data: The serialised form.
        :returns: The component.
        """
        return from_dict_or_unavailable(cls, data, "chat_generator")

    def warm_up(self) -> None:
        """Load the dictionary and, where a model's answers are to be judged, the embedder; once."""
        self._rules.expand("有休の申請", 1)
        embedder: Any = self.text_embedder
        if self._asks and hasattr(embedder, "warm_up"):
            embedder.warm_up()

    def health(self) -> dict[str, Any]:
        """
        How it is.

        :returns: "backend"; "ready"; "error", what is wrong with an edited file ("" for nothing); "cache", the hits,
            misses and hit rate of the model's answers; "llm", whether a model is asked (`used`), and if so `ready` and
            the last `error`.
        """
        errors = [part.error for part in (self._terms, self._synonyms) if part and part.error]
        generator = self.chat_generator
        failed = generator.reason if isinstance(generator, Unavailable) else self._service.error
        return {
            "backend": self.backend,
            "ready": True,
            "error": "; ".join(errors),
            "cache": self._cache.info(),
            "llm": {"used": self._asks, "ready": self._asks and not failed, "error": failed if self._asks else ""},
        }

    @property
    def _asks(self) -> bool:
        """Whether a model is asked."""
        return self.backend != RULE and self.chat_generator is not None

    @component.output_types(queries=list[str], variants=list[str], expansions=list[dict[str, Any]], degraded=list[str])
    def run(self, query: str, analysis: AnalyzedText | None = None, enabled: bool = True) -> dict[str, Any]:
        """
        Expand.

        :param query: The query as typed.
        :param analysis: The query, analysed; its text counts in place of `query`.
        :param enabled: Whether to expand at all.
        :returns: `queries`, the query first; `variants`, the same without it; `expansions`, each with text, origin,
            accepted and reason; `degraded`, ["query_expander"] when rules took the model's place.
        """
        text = analysis.text if analysis else query
        protected = ProtectedSpans.of(text[:_LONGEST_QUERY])
        if not enabled or not self.max_expansions or protected.is_all or len(text) > _LONGEST_QUERY:
            return {"queries": [text], "variants": [], "expansions": [], "degraded": []}
        judged = self._by_model(text, protected) if self._asks else _Judged()
        answered = [expansion for expansion in judged.expansions if expansion.accepted]
        ruled = self._rules.expand(text, self._rule_share(len(answered)), protected)
        found = [*(Expansion(variant, RULE) for variant in ruled), *judged.expansions]
        expansions = without_surplus(found, self.max_expansions)
        variants = [expansion.text for expansion in expansions if expansion.accepted]
        return {
            "queries": [text, *variants],
            "variants": variants,
            "expansions": [expansion.to_dict() for expansion in expansions],
            "degraded": [_DEGRADED] if self._asks and not answered else [],
        }

    def _rule_share(self, answered: int) -> int:
        """How many variants are made by rule: beside a model's at most half of them, rounded up."""
        if not answered:
            return self.max_expansions
        half = self.max_expansions - self.max_expansions // 2
        return max(half, self.max_expansions - answered) if self.backend == "hybrid" else 0

    def _by_model(self, query: str, protected: ProtectedSpans) -> _Judged:
        known = self._cache.get(query)
        if known is not None:
            return known
        generator: Any = self.chat_generator
        prompt = self._builder.run(query=query, count=self.max_expansions)["prompt"]
        answer = self._service.call(lambda: ask(generator, prompt, self.max_tokens))
        if answer is None:
            return _failed("no answer")
        texts, reason = read_answer(answer)
        if reason:
            logger.warning("query expander: the answer is not used: %s", reason)
            return _failed(reason)
        judged = self._judged(texts, query, protected)
        if not judged.failure:
            self._cache.put(query, judged)
        return judged

    def _judged(self, texts: list[str], query: str, protected: ProtectedSpans) -> _Judged:
        """What the guard says of each expansion."""
        passed: list[str] = []
        reasons: dict[str, str] = {}
        for text in texts:
            reason = text_reason(text, query, protected, passed)
            if not reason:
                passed.append(text)
            reasons.setdefault(text, reason)
        if passed and self.text_embedder is not None:
            vectors = self.text_embedder.run(texts=[query, *passed])["vectors"].vectors
            if len(vectors) != len(passed) + 1:
                return _failed("can't be judged without embeddings")
            for text, cosine in zip(passed, cosines(vectors), strict=True):
                reasons[text] = cosine_reason(cosine, self.min_similarity, self.max_similarity)
        return _Judged(tuple(Expansion(text, LLM, not reason, reason) for text, reason in reasons.items()))


def _failed(reason: str) -> _Judged:
    return _Judged((Expansion("", LLM, False, reason),), reason)
