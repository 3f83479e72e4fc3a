"""What is kept for good, cut down and forgotten."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.records import Episode, Rating

logger = logging.getLogger(__name__)

_DAY = 86400.0
_SESSIONS = 1000  # how many one transaction removes


@dataclass(frozen=True)
class ForgettingRules:
    """
    What forgetting goes by.

    :param consolidate_from: Episodes of this importance and above are kept for good.
    :param forget_below: Episodes below this importance go.
    :param compress_after_days: Of those between that are older, the least important share is cut down.
    :param compress_share: That share.
    :param max_episodes: How many there may be; the least important ones beyond go.
    :param protect_hours: What was rated less than that long ago never goes.
    :param log_days: How long the log of what the memory did is kept.
    :raises ValueError: When a number is outside what makes sense.
    """

    consolidate_from: float = 0.7
    forget_below: float = 0.3
    compress_after_days: float = 30.0
    compress_share: float = 0.1
    max_episodes: int = 10_000
    protect_hours: float = 24.0
    log_days: float = 365.0

    def __post_init__(self) -> None:
        if not 0 <= self.forget_below <= self.consolidate_from <= 1:
            raise ValueError(
                f"forget_below and consolidate_from must be in order within 0 to 1, not {self.forget_below!r} and "
                f"{self.consolidate_from!r}"
            )
        if self.max_episodes < 1:
            raise ValueError(f"max_episodes must be 1 or more, not {self.max_episodes!r}")
        if not 0 <= self.compress_share <= 1:
            raise ValueError(f"compress_share must be from 0 to 1, not {self.compress_share!r}")


@dataclass(frozen=True)
class ForgettingPlan:
    """Ids of the episodes to keep for good, to cut down and to delete."""

    consolidate: tuple[str, ...] = ()
    compress: tuple[str, ...] = ()
    forget: tuple[str, ...] = ()


def plan_forgetting(
    episodes: Sequence[tuple[Episode, Sequence[Rating]]], rules: ForgettingRules, now: float
) -> ForgettingPlan:
    """
    Decide what becomes of each episode.

    :param episodes: The episodes with their ratings.
    :param rules: The rules.
    :param now: The time.
    :returns: The plan; each list is ordered by importance, then id.
    """
    ranked = sorted(episodes, key=lambda pair: (pair[0].importance, pair[0].id))
    free = [e for e, ratings in ranked if not _is_protected(ratings, rules, now)]
    forget = [e for e in free if e.importance < rules.forget_below and not e.consolidated]
    left = len(ranked) - len(forget)
    rest = [e for e in free if e.importance >= rules.forget_below or e.consolidated]
    # Those that are kept for good go last.
    rest.sort(key=lambda e: (e.consolidated, e.importance, e.id))
    forget += rest[: max(0, left - rules.max_episodes)]
    gone = {e.id for e in forget}
    kept = [e for e, _ in ranked if e.id not in gone]
    consolidate = [e.id for e in kept if e.importance >= rules.consolidate_from and not e.consolidated]
    old = [
        e
        for e in kept
        if rules.forget_below <= e.importance < rules.consolidate_from
        and e.created_at <= now - rules.compress_after_days * _DAY
    ]
    compress = [e.id for e in old[: int(len(old) * rules.compress_share)] if not e.compressed]
    return ForgettingPlan(tuple(consolidate), tuple(compress), tuple(e.id for e in forget))


def _is_protected(ratings: Sequence[Rating], rules: ForgettingRules, now: float) -> bool:
    return any(rating.rated_at > now - rules.protect_hours * 3600 for rating in ratings)


class Forgetter:
    """
    Applies the rules, on demand or in the background.

    Usage example:
    ```python
    forgetter = Forgetter(store, view, ForgettingRules(), time.time)
    forgetter.plan().forget  # what would go
    forgetter.run()
    ```

    :param store: The records.
    :param view: The same records in main memory.
    :param rules: The rules.
    :param clock: Tells the time in seconds since 1970.
    :param batch: How many episodes one transaction changes: others write between two of them.
    """

    def __init__(
        self,
        store: MemoryStore,
        view: MemoryView,
        rules: ForgettingRules,
        clock: Callable[[], float],
        batch: int = 200,
    ) -> None:
        self._store = store
        self._view = view
        self._rules = rules
        self._clock = clock
        self._batch = batch
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def plan(self) -> ForgettingPlan:
        """What would be done now."""
        return plan_forgetting(self._view.episodes(), self._rules, self._clock())

    def run(self) -> ForgettingPlan:
        """Do it, and remove expired sessions and old lines of the log; returns what was done."""
        plan, now = self.plan(), self._clock()
        for ids in self._batches(plan.consolidate):
            self._store.episodes.change_many({each: {"consolidated": True} for each in ids})
        for ids in self._batches(plan.compress):
            self._store.episodes.compress(ids, now)
        for ids in self._batches(plan.forget):
            # One that was rated since the plan was made stays.
            self._store.episodes.remove(ids, now, "forgetting", now - self._rules.protect_hours * 3600)
        while self._store.sessions.remove_expired(now, _SESSIONS) == _SESSIONS and not self._stopping.is_set():
            pass
        self._store.activity.remove_before(now - self._rules.log_days * _DAY)
        return plan

    def start(self, every_hours: float) -> None:
        """Run in the background from now on, one run at a time; nothing changes when it does already."""
        if self._thread is not None:
            return
        self._stopping.clear()

        def loop() -> None:
            while not self._stopping.wait(every_hours * 3600):
                try:
                    self.run()
                except Exception:
                    logger.exception("forgetting failed; the next run tries again")

        self._thread = threading.Thread(target=loop, name="forgetting", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the background work; what one transaction began is finished."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _batches(self, ids: Sequence[str]) -> list[Sequence[str]]:
        starts = range(0, len(ids), self._batch)
        return [ids[start : start + self._batch] for start in starts if not self._stopping.is_set()]
