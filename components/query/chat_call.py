"""One question to a chat generator."""

from typing import Any

from haystack.components.generators.chat.types import ChatGenerator
from haystack.dataclasses import ChatMessage


def ask(generator: ChatGenerator, prompt: str, max_tokens: int | None) -> str:
    """
    Ask a language model.

    :param generator: A Haystack chat generator.
    :param prompt: The question.
    :param max_tokens: Sent as `max_tokens`, unless the generator's own `generation_kwargs` set a limit; None sends
        none.
    :returns: What it answers; "" for nothing.
    :raises ValueError: When the endpoint's answer holds no text but something else.
    """
    own_generator: Any = generator
    if hasattr(own_generator, "warm_up"):
        own_generator.warm_up()
    own = getattr(own_generator, "generation_kwargs", None)
    limited = own is None or {"max_tokens", "max_completion_tokens"} & set(own)
    options = {} if limited or max_tokens is None else {"generation_kwargs": {"max_tokens": max_tokens}}
    replies = own_generator.run(messages=[ChatMessage.from_user(prompt)], **options)["replies"]
    answer: Any = (replies[0].text or "") if replies else ""
    if not isinstance(answer, str):
        raise ValueError(f"the endpoint answers a {type(answer).__name__} instead of text")
    return answer
