"""Files that people edit while a service runs."""

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")


class WatchedFiles(Generic[T]):
    """
    What some files say now. They are read again when one of them changed; wrong ones leave what was, with an `error`.

    Usage example:

    ```python
    terms = WatchedFiles(lambda: [path], lambda: read_vocabulary(path))
    terms.value
    ```

    :param paths: Tells which files there are.
    :param read: Reads them; raises ValueError when one is wrong.
    :raises ValueError: When one is wrong now.
    """

    def __init__(self, paths: Callable[[], Sequence[Path]], read: Callable[[], T]):
        self._paths = paths
        self._read = read
        self._lock = threading.Lock()
        self._stamp = self._current()
        self._value = read()
        self.error = ""

    @property
    def version(self) -> object:
        """Another one after each change."""
        self._reload_if_changed()
        return self._stamp

    @property
    def value(self) -> T:
        """What `read` made of the files."""
        self._reload_if_changed()
        return self._value

    def _reload_if_changed(self) -> None:
        stamp = self._current()
        if stamp == self._stamp:
            return
        with self._lock:
            if stamp == self._stamp:
                return
            try:
                self._value, self.error = self._read(), ""
            except ValueError as error:
                self.error = str(error)
                logger.warning("what was read before still counts: %s", error)
            self._stamp = stamp

    def _current(self) -> tuple[tuple[str, int, int], ...]:
        """Names, times and sizes; a file that is gone has none."""
        stamps = []
        for path in self._paths():
            try:
                state = path.stat()
            except OSError:
                continue
            stamps.append((str(path), state.st_mtime_ns, state.st_size))
        return tuple(stamps)
