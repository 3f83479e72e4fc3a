"""Asks a language model for a passage that could answer the query."""

import logging
import threading
from collections import OrderedDict
from typing import Any

from haystack import component, default_to_dict
from haystack.components.builders import PromptBuilder
from haystack.components.generators.chat.types import ChatGenerator

from components.analysis.analyzed_text import AnalyzedText
from components.optional_service import OptionalService, from_dict_or_unavailable, part_to_dict
from components.query.chat_call import ask
from components.query.passage_check import usable_passage

logger = logging.getLogger(__name__)

DEFAULT_PROMPT = """Write one paragraph of a manual, statute or rule that answers the question below, in the language \
of the question and in the style of such a text. About 80 words. No introduction, no headings, no comments: only the \
paragraph.

Question: {{ query }}"""
_LONGEST_QUERY = 4000


@component
class HyDEGenerator:
    """
    Writes a hypothetical passage for a query, to be embedded beside it (HyDE: hypothetical document embeddings).

    The search never depends on it: an endpoint that fails, is slow or answers something that is no passage costs at
    most `timeout` seconds, gives no passage and is named in `degraded`. After repeated failures of the endpoint it
    isn't asked for a while. Queries that name a section, a statute or a rule are looked up: nothing is asked for them.

    Usage example:
    ```python
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.utils import Secret

    generator = OpenAIChatGenerator(
        api_key=Secret.from_token("none"), model="qwen3:4b", api_base_url="http://localhost:11434/v1", max_retries=0
    )
    hyde = HyDEGenerator(chat_generator=generator, timeout=4.0)
    hyde.run(query="may a claim be rejected for lack of written description")["passages"]
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        timeout: float = 8.0,
        max_tokens: int | None = 200,
        prompt: str = DEFAULT_PROMPT,
        cache_size: int = 1000,
        min_words: int = 8,
        max_words: int = 200,
        max_failures: int = 5,
        pause: float = 15.0,
    ):
        """
        :param chat_generator: A Haystack chat generator, for example `OpenAIChatGenerator` for any endpoint that speaks
            OpenAI's protocol (Ollama, vLLM, llama.cpp); None turns the component off.
        :param timeout: Seconds that an answer may take.
        :param max_tokens: Sent as `max_tokens`, unless the generator's own `generation_kwargs` set a limit; None sends
            none.
        :param prompt: A Jinja template with the variable `query`.
        :param cache_size: Queries whose passage is remembered; failures aren't. 0 remembers nothing.
        :param min_words: A shorter answer is not used.
        :param max_words: A longer answer is cut.
        :param max_failures: Failures of the endpoint in a row after which it isn't asked for `pause` seconds.
        :param pause: See `max_failures`.
        :raises ValueError: If a number is out of range or the prompt has no `query`.
        """
        if not 0 < min_words <= max_words:
            raise ValueError(f"min_words: {min_words!r} is not allowed; it must be from 1 to max_words ({max_words!r})")
        if cache_size < 0:
            raise ValueError(f"cache_size: {cache_size!r} is not allowed; it must be 0 or more")
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"max_tokens: {max_tokens!r} is not allowed; it must be at least 1, or None")
        self.chat_generator = chat_generator
        self.timeout = timeout
        self.max_tokens = max_tokens
        self.prompt = prompt
        self.cache_size = cache_size
        self.min_words = min_words
        self.max_words = max_words
        self.max_failures = max_failures
        self.pause = pause
        self._builder = PromptBuilder(template=prompt, required_variables=["query"])
        if "query" not in self._builder.variables:
            raise ValueError(f"prompt: {prompt!r} is not allowed; it must hold the variable {{{{ query }}}}")
        self._service = OptionalService("hyde", timeout, max_failures, pause)
        self._cache: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def to_dict(self) -> dict[str, Any]:
        """
        Serialise the component.

        :returns: The serialised form.
        """
        return default_to_dict(
            self,
            chat_generator=part_to_dict(self.chat_generator, "chat_generator"),
            timeout=self.timeout,
            max_tokens=self.max_tokens,
            prompt=self.prompt,
            cache_size=self.cache_size,
            min_words=self.min_words,
            max_words=self.max_words,
            max_failures=self.max_failures,
            pause=self.pause,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "HyDEGenerator":
        """
        Deserialise the component; a chat generator that can't be made (no key set) degrades its answers only.

        :param data: The serialised form.
        :returns: The component.
        """
        return from_dict_or_unavailable(cls, data, "chat_generator")

    @component.output_types(passages=list[str], degraded=list[str])
    def run(self, query: str, analysis: AnalyzedText | None = None) -> dict[str, list[str]]:
        """
        Write a passage.

        :param query: The user's query.
        :param analysis: The query, analysed; identifiers in it mean that it is a look-up.
        :returns: `passages`, with one passage or none; `degraded`, with "hyde" if there should have been one.
        """
        query = query.strip()[:_LONGEST_QUERY]
        if self.chat_generator is None or not query or (analysis is not None and analysis.identifiers):
            return {"passages": [], "degraded": []}
        passage = self._remembered(query) or self._generate(query)
        return {"passages": [passage], "degraded": []} if passage else {"passages": [], "degraded": ["hyde"]}

    def _generate(self, query: str) -> str:
        generator, prompt = self.chat_generator, self._builder.run(query=query)["prompt"]
        answer = self._service.call(lambda: ask(generator, prompt, self.max_tokens)) if generator else None
        if answer is None:
            return ""
        passage, reason = usable_passage(answer, query, self.min_words, self.max_words)
        if not passage:
            logger.warning("hyde: the answer is not used: %s", reason)
            return ""
        with self._lock:
            self._cache[query] = passage
            while len(self._cache) > self.cache_size:
                self._cache.popitem(last=False)
        return passage

    def _remembered(self, query: str) -> str:
        with self._lock:
            if query not in self._cache:
                return ""
            self._cache.move_to_end(query)
            return self._cache[query]
