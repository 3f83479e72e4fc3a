"""One tree of exceptions for everything that a user can put right."""

import math
from collections.abc import Iterator, Mapping, Sequence


def worded(value: object) -> str:
    """
    A value in a message, in words that don't ask for Python.

    >>> worded(None), worded(True), worded(float("nan")), worded([1, None])
    ('null', 'true', 'not a number', '[1, null]')

    :param value: Anything that came as an argument.
    :returns: Its words; texts stand in quotation marks.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "not a number" if math.isnan(value) else "infinity" if value > 0 else "minus infinity"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(worded, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{worded(key)}: {worded(item)}' for key, item in value.items())}}}"
    return repr(value)


class TansakuError(Exception):
    """The work can't be done; the message names the input, the reason and the way out."""


class ArgumentError(TansakuError, ValueError):
    """
    An argument of a call is outside what is allowed.

    :param argument: The argument's name.
    :param value: What was given.
    :param allowed: What is allowed, as a phrase: "an integer from 1 to 20".
    """

    def __init__(self, argument: str, value: object, allowed: str):
        self.argument, self.value, self.allowed = argument, value, allowed
        shown = worded(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        super().__init__(f"{argument}: {shown} is not allowed; it must be {allowed}")


class ConfigError(TansakuError):
    """A pipeline, profile or configuration file is wrong."""


class PartError(ConfigError):
    """
    Parts of a pipeline can't be loaded, for example a model or a dictionary.

    :param problems: What is wrong, by the name of the component.
    """

    def __init__(self, problems: Mapping[str, str]):
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name} can't be used: {reason}" for name, reason in problems.items()))


class UnknownNameError(ConfigError):
    """
    A user named a pipeline, profile or dataset that isn't there.

    :param message: Names it and what there is.
    """


class EmbedderChangedError(TansakuError):
    """
    The vectors of an index are by another embedder than the one that a run would go on with.

    :param corpus: Whose index.
    :param vectors: How many vectors there are.
    :param made_by: The embedder that made them, for people.
    :param present: The embedder of the run, for people.
    """

    def __init__(self, corpus: str, vectors: int, made_by: str, present: str):
        super().__init__(
            f"the {vectors:,} vectors of {corpus} are by another embedder ({made_by}) than the present one "
            f"({present}), and none was touched; name the embedder that made them (--embedder-url, "
            f"TANSAKU_EMBEDDER_MODEL), or make all vectors anew with: tansaku index {corpus} --resume --renew-vectors"
        )


class IndexMissingError(TansakuError):
    """A corpus has no index yet; the message holds the command that builds it."""

    def __init__(self, corpus: str):
        self.corpus = corpus
        super().__init__(f"there is no index for {corpus} yet; build it with: tansaku index {corpus} PATH...")


class IndexDamagedError(TansakuError):
    """
    Files of an index are damaged; the message holds the command that mends it.

    :param corpus: Whose index.
    :param damage: What is damaged, by the name of the store, or "manifest".
    """

    def __init__(self, corpus: str, damage: Mapping[str, str]):
        self.corpus, self.damage = corpus, dict(damage)
        shown = "; ".join(f"{name}: {found}" for name, found in damage.items())
        super().__init__(f"the index of {corpus} is damaged ({shown}); mend it with: tansaku doctor {corpus} --repair")


class StoreError(TansakuError):
    """A store refuses to work, for example because another process writes it; the message is the store's own."""


class StoreDownError(TansakuError):
    """
    A part that the answer needs can't be used now; it may be again soon, so the same call may be made again.

    :param parts: "keyword", "vector" or "reranker".
    :param reason: What is known of it.
    """

    code = "search_degraded"
    retry_after = 5
    """Seconds after which a caller may try again."""

    def __init__(self, parts: Sequence[str], reason: str = "GET /health and the log say why"):
        self.parts = list(parts)
        super().__init__(f"the search can't do without {' and '.join(parts)}, which fails now ({reason}); try again")


class IndexLockedError(TansakuError):
    """Another process is writing the same index."""


class SourceError(TansakuError):
    """A source file or folder can't be read."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it."""
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__
