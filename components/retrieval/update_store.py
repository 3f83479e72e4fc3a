"""Where updates to the law are looked up."""

from collections.abc import Mapping
from typing import Any, Protocol

from haystack import Document

MOST_UPDATES = 50  # that are looked at for one answer


class UpdateStore(Protocol):
    """What finding updates needs of a keyword store."""

    def find(
        self,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 50,
        sort_by: str = "order",
        descending: bool = False,
    ) -> tuple[list[Document], int]: ...

    def to_dict(self) -> dict[str, Any]: ...
