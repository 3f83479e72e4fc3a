"""What a search sees of the memory, while others change it."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from components.analysis.name_finder import NameFinder
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.records import Concept
from memory_components.vector_index import VectorIndex
from tests.memory_components.memories import NOW, episode, rating, unit

NOBODY: frozenset[str] = frozenset()


def test_nearest_and_above() -> None:
    """cos((1, 0), (3, 4)) = 0.6, with (4, 3) 0.8; vectors needn't have length 1."""
    index = VectorIndex()
    for name, vector in {"b": unit(4, 3), "a": unit(4, 3), "c": 5 * unit(3, 4), "d": unit(-1, 0)}.items():
        index.put(name, vector)

    assert [name for name, _ in index.nearest(unit(1), 3)] == ["a", "b", "c"]
    assert [cosine for _, cosine in index.nearest(unit(1), 9)] == pytest.approx([0.8, 0.8, 0.6, -1])
    assert [name for name, _ in index.above(unit(1), 0.7)] == ["a", "b"]
    assert index.nearest(unit(0, 0, 1), 1)[0][1] == 0


def test_an_index_after_any_changes_finds_what_a_new_one_finds() -> None:
    chance = random.Random(3)
    index, kept = VectorIndex(3), {}
    for _ in range(3000):
        name = f"v{chance.randrange(700)}"
        if chance.random() < 0.4:
            index.remove(name)
            kept.pop(name, None)
        else:
            kept[name] = np.array([chance.gauss(0, 1) for _ in range(3)], np.float32)
            index.put(name, kept[name])

    query = np.array([0.6, 0.0, 0.8], np.float32)
    expected = sorted((-float(v @ query) / float(np.linalg.norm(v)), name) for name, v in kept.items())
    found = index.nearest(query, 20)
    assert len(index) == len(kept)
    assert [name for name, _ in found] == [name for _, name in expected[:20]]


def test_a_vector_of_another_length() -> None:
    with pytest.raises(ValueError, match=r"a vector of 384 values is expected, not of shape \(3,\)"):
        VectorIndex().put("a", np.ones(3, np.float32))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EV-2024-001の進捗", [("EV-2024-001", "EV-2024-001")]),
        ("ＥＶ‐２０２４‐００１の進捗", [("EV-2024-001", "ＥＶ‐２０２４‐００１")]),
        ("EV-2024-0011 and XEV-2024-001", []),
        ("the next battery, please", [("EV-2024-001", "next battery")]),
        ("nextbattery", []),
        ("次世代電池の試験", [("EV-2024-001", "次世代電池")]),
        # The longest name where several begin at one place.
        ("カゼツヨシ", [("カゼツヨシ", "カゼツヨシ")]),
        ("カゼとカゼ", [("カゼ", "カゼ")]),
        ("カゼのEV-2024-001", [("カゼ", "カゼ"), ("EV-2024-001", "EV-2024-001")]),
        ("X と x", [("X", "X")]),
        ("", []),
    ],
)
def test_names_in_a_text(text: str, expected: list[tuple[str, str]]) -> None:
    finder = NameFinder()
    finder.add("EV-2024-001", ["EV-2024-001", "次世代電池", "Next Battery", " "])
    finder.add("カゼ", ["カゼ"])
    finder.add("カゼツヨシ", ["カゼツヨシ"])
    finder.add("X", ["x"])

    assert finder.find(text) == expected


def test_a_name_of_two_things_stays_while_one_has_it() -> None:
    finder = NameFinder()
    finder.add("one", ["shared"])
    finder.add("two", ["shared", "own"])
    assert finder.find("shared") == [("one", "shared"), ("two", "shared")]

    finder.remove("one")
    assert finder.find("shared, own") == [("two", "shared")]
    finder.remove("two")
    finder.remove("unknown")
    assert finder.find("shared, own") == []


@pytest.fixture
def view(store: MemoryStore) -> MemoryView:
    return MemoryView(store)


@pytest.mark.parametrize(
    ("question", "vector", "groups", "expected"),
    [
        ("summer holidays", unit(1, 0), NOBODY, True),
        ("summer holidays", unit(9, 4), NOBODY, True),  # a cosine of .914
        ("summer holidays", unit(9, 5), NOBODY, False),  # .874
        # Numbers and identifiers must agree.
        ("summer holidays 2024", unit(1, 0), NOBODY, False),
        ("summer holidays", unit(1, 0), frozenset({"hr"}), True),
    ],
)
def test_votes(
    store: MemoryStore, view: MemoryView, question: str, vector: np.ndarray, groups: frozenset[str], expected: bool
) -> None:
    store.ratings.add(rating(rating=4), episode())

    votes, used = view.votes(question, vector, groups, 0.9)

    assert [(v.user_id, v.document_id, v.rating, v.weight) for v in votes] == (
        [("ann", "HR-7#1", 4, 1.0)] if expected else []
    )
    assert list(used) == (["e1"] if expected else [])


def test_a_rating_for_one_project_never_acts_on_another(store: MemoryStore, view: MemoryView) -> None:
    store.ratings.add(rating(), episode(context="EV-2024-001の進捗"))

    found = [
        bool(view.votes(f"{name}の進捗", unit(1, 0), NOBODY, 0.9)[0])
        for name in ("EV-2024-002", "ＥＶ‐２０２４‐００１")
    ]
    assert found == [False, True]


@pytest.mark.parametrize(("asker", "expected"), [(frozenset({"hr", "x"}), True), (NOBODY, False)])
def test_ratings_and_episodes_of_a_group_are_for_the_group(
    store: MemoryStore, view: MemoryView, asker: frozenset[str], expected: bool
) -> None:
    store.ratings.add(rating(), episode(groups=frozenset({"hr"})))

    assert bool(view.votes("leave", unit(1, 0), asker, 0.9)[0]) is expected
    assert bool(view.episodes_like(unit(1, 0), 5, asker)) is expected
    assert len(view.episodes_like(unit(1, 0), 5)) == 1


def test_what_another_process_changes_is_seen_at_once(
    place: Path | str, open_store: Callable[[Path | str], MemoryStore], view: MemoryView
) -> None:
    theirs = open_store(place)

    def seen() -> list[int]:
        return sorted(vote.rating for vote in view.votes("leave", unit(1, 0), NOBODY, 0.9)[0])

    theirs.ratings.add(rating(), episode())
    theirs.ratings.add(rating("r2", user_id="bob", rating=4), episode())
    assert seen() == [4, 5]
    theirs.ratings.add(rating(rating=2), episode())
    assert seen() == [2, 4]
    theirs.ratings.revoke("bob", 0, NOW)
    assert seen() == [2]
    theirs.ratings.remove("r1", NOW)
    assert seen() == []
    theirs.ratings.add(rating("r3"), episode())
    theirs.episodes.remove(["e1"], NOW, "asked")
    assert seen() == []
    theirs.ratings.add(rating("r4"), episode())
    assert seen() == [5]


def test_concepts_are_seen_and_forgotten(store: MemoryStore, view: MemoryView) -> None:
    store.concepts.put([Concept("Kaze", "a fan", unit(1), aliases=("KZ-7",)), Concept("Mizu", "a pump", unit(0, 1))])
    assert [(c.name, text) for c, text in view.concepts_named_in("ＫＺ‐７ を")] == [("Kaze", "ＫＺ‐７")]
    assert [c.name for c, _ in view.concepts_like(unit(1, 2), 2)] == ["Mizu", "Kaze"]

    store.concepts.put([Concept("Kaze", "a fan", unit(1))], removed=["Mizu"])
    assert view.concepts_named_in("KZ-7 Mizu") == []
    assert list(view.concepts()) == ["Kaze"]
