"""One tree of exceptions for everything that a user can put right."""


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
        shown = repr(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        super().__init__(f"{argument}: {shown} is not allowed; it must be {allowed}")


class ConfigError(TansakuError):
    """A pipeline, profile or configuration file is wrong."""


class IndexMissingError(TansakuError):
    """A corpus has no index yet; the message holds the command that builds it."""

    def __init__(self, corpus: str):
        self.corpus = corpus
        super().__init__(f"there is no index for {corpus} yet; build it with: tansaku index {corpus} PATH...")


class IndexLockedError(TansakuError):
    """Another process is writing the same index."""


class SourceError(TansakuError):
    """A source file or folder can't be read."""
