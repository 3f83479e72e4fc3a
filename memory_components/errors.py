"""What goes wrong with the memory."""

from typing import Any


class MemoryStoreError(RuntimeError):
    """The memory can't be read or written; the message names the database, the reason and the way out."""


class MemoryInputError(ValueError):
    """
    What the memory was given can't be used.

    :param code: A name for programs, such as "SESSION_NOT_FOUND".
    :param message: One sentence for people.
    :param details: The values that it is about.
    """

    def __init__(self, code: str, message: str, **details: Any):
        self.code, self.message, self.details = code, message, details
        super().__init__(message)
