"""Splits the sources of a corpus among several runs."""

import hashlib
import re
from dataclasses import dataclass

from pipelines.errors import ArgumentError

_FORM = "i/n with i from 0 to n - 1, for example 0/4"
_MOST = 1000


@dataclass(frozen=True)
class Shard:
    """
    One of several equal parts of all files; an archive belongs to one part as a whole.

    Usage example:
    ```python
    [shard.owns("law/usc35.xml") for shard in (Shard(0, 2), Shard(1, 2))]  # [False, True]
    ```

    :param number: Which part, from 0.
    :param count: How many parts there are.
    """

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> "Shard":
        """
        Read what `--shard` takes.

        :param text: "0/4".
        :returns: The part.
        :raises ArgumentError: When it is none.
        """
        found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
        number, count = (int(found[1]), int(found[2])) if found else (0, 0)
        if not number < count <= _MOST:
            raise ArgumentError("--shard", text, _FORM)
        return cls(number, count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def owns(self, key: str) -> bool:
        """Whether a file of this key belongs to the part; on every machine the same."""
        return bucket(key) % self.count == self.number


def bucket(key: str) -> int:
    """A number of 31 bits that a file's key always gives; parts are made of it."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest()) >> 1
