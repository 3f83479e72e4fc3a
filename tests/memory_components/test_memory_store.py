"""What is kept, what others see of it, and what a crash leaves."""

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import delete, update

from memory_components.database import REVISION, MemoryDatabase
from memory_components.errors import MemoryInputError, MemoryStoreError
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.records import Concept, Shown
from memory_components.session_records import shown_weights
from memory_components.tables import clock, episodes, metadata
from tests.memory_components.memories import NOW, episode, rating, session, unit

Open = Callable[[Path | str], MemoryStore]


def test_the_migrations_make_the_tables_that_the_code_uses(store: MemoryStore) -> None:
    with store.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "memory_revision"})
        assert compare_metadata(context, metadata) == []


def test_the_newest_migration_is_the_one_that_is_asked_for() -> None:
    config = Config()
    config.set_main_option("script_location", "memory_components:migrations")
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


def test_a_session_comes_back_whole(place: Path | str, open_store: Open) -> None:
    kept = session(groups=frozenset({"hr", "all"}), past_sessions={"s0": 0.93})
    open_store(place).sessions.add(kept)

    found = open_store(place).sessions.open("s1", NOW + 86399)

    assert (found.query, found.user_id, found.groups) == ("leave in August", "ann", frozenset({"hr", "all"}))
    assert (found.shown, found.past_sessions) == (kept.shown, {"s0": 0.93})
    assert found.vector is not None and np.array_equal(found.vector, unit(1, 0))


@pytest.mark.parametrize(("name", "later"), [("s2", 0), ("s1", 86400)])
def test_no_session_or_an_expired_one(store: MemoryStore, name: str, later: float) -> None:
    store.sessions.add(session())

    with pytest.raises(MemoryInputError, match=f"no session '{name}' that takes ratings") as caught:
        store.sessions.open(name, NOW + later)
    assert (caught.value.code, caught.value.details) == ("SESSION_NOT_FOUND", {"session_id": name})


def test_what_memory_did_to_an_answer_is_logged(store: MemoryStore) -> None:
    store.sessions.add(session(shown=(Shown("HR-7#1", 1, 0.9, 0.1), Shown("HR-8#1", 2)), past_sessions={"s0": 0.93}))

    (line,) = store.activity.lines(subject="s1")
    assert (line["at"], line["kind"]) == (NOW, "boost")
    assert line["details"] == {"boosts": {"HR-7#1": 0.1}, "past_sessions": {"s0": 0.93}}


def test_expired_sessions_go_unless_they_were_rated(store: MemoryStore) -> None:
    for name in ("s1", "s2"):
        store.sessions.add(session(name))
    store.sessions.add(session("s3", expires_at=NOW + 99999))
    store.ratings.add(rating(), episode(session_id="s2"))

    assert store.sessions.remove_expired(NOW + 86400) == 1
    assert [store.sessions.get(name) is not None for name in ("s1", "s2", "s3")] == [False, True, True]


def test_a_rating_of_all_shown_counts_by_rank() -> None:
    assert shown_weights([Shown("a", 1), Shown("b", 2), Shown("c", 4)]) == {"a": 1, "b": 0.5, "c": 0.25}


def test_the_same_rating_twice_is_one(store: MemoryStore) -> None:
    first = store.ratings.add(rating(), episode())
    again = store.ratings.add(rating(rated_at=NOW + 60), episode())

    assert again == first
    assert len(store.ratings.of_episodes(["e1"])) == 1
    assert len(store.activity.lines()) == 1


def test_the_last_rating_counts(store: MemoryStore) -> None:
    store.ratings.add(rating(), episode())
    store.ratings.add(rating(rating=2, rated_at=NOW + 60), episode())

    (kept,) = store.ratings.of_episodes(["e1"])
    found = store.episodes.get("e1")
    assert (kept.rating, kept.rated_at) == (2, NOW + 60)
    assert found is not None and found.reward == -0.5


def test_an_episodes_reward_is_the_mean_of_its_ratings(store: MemoryStore) -> None:
    """Five and four stars are 1 and 0.5, so 0.75; without the first, 0.5; without any, 0."""
    store.ratings.add(rating(), episode())
    store.ratings.add(rating("r2", user_id="bob", rating=4), episode())
    rewards = []
    for change in (
        lambda: None,
        lambda: store.ratings.revoke("ann", NOW, NOW),
        lambda: store.ratings.remove("r2", NOW),
    ):
        change()
        found = store.episodes.get("e1")
        assert found is not None
        rewards.append(found.reward)
    assert rewards == [0.75, 0.5, 0.0]


def test_others_see_what_changed(place: Path | str, open_store: Open) -> None:
    ours, theirs = open_store(place), open_store(place)
    assert ours.changes_since(0) is None

    theirs.ratings.add(rating(), episode())
    first = ours.changes_since(0)
    assert first is not None
    assert ([e.id for e in first.episodes], [r.id for r in first.ratings], first.deleted) == (["e1"], ["r1"], [])
    assert ours.changes_since(first.version) is None

    theirs.episodes.add(episode("e2"))
    theirs.ratings.revoke("ann", since=NOW, now=NOW + 5)
    second = ours.changes_since(first.version)
    assert second is not None
    assert [e.id for e in second.episodes] == ["e1", "e2"] or [e.id for e in second.episodes] == ["e2", "e1"]
    assert [r.revoked_at for r in second.ratings] == [NOW + 5]

    assert theirs.episodes.remove(["e1", "unknown"], NOW, "asked") == 1
    third = ours.changes_since(second.version)
    assert third is not None and third.deleted == [("episode", "e1")]
    assert ours.ratings.get("r1") is None


def test_a_revoked_rating_stays_revoked_and_others_stay(store: MemoryStore) -> None:
    store.ratings.add(rating(), episode())
    store.ratings.add(rating("r2", user_id="bob"), episode())
    store.ratings.add(rating("r3", episode_id="e2", rated_at=NOW - 1), episode("e2"))

    assert store.ratings.revoke("ann", since=NOW, now=NOW + 5) == 1
    store.ratings.add(rating(rating=4), episode())

    assert {r.id: r.revoked_at for r in store.ratings.of_episodes(["e1", "e2"])} == {
        "r1": NOW + 5,
        "r2": None,
        "r3": None,
    }
    assert store.activity.lines(subject="ann")[0]["details"] == {"since": NOW, "ratings": 1}


def test_compressed_episodes_keep_their_vectors(store: MemoryStore) -> None:
    store.episodes.add(episode(vector=unit(1, 2, 3), action={"shown": ["HR-7#1"]}, outcome={"note": "good"}))

    store.episodes.compress(["e1"], NOW)

    (kept,) = store.episodes.page()
    assert (kept.action, kept.outcome, kept.compressed) == ({}, {}, True)
    assert kept.vector == pytest.approx(unit(1, 2, 3), abs=5e-4)


def test_concepts_are_replaced_and_keep_their_use(store: MemoryStore) -> None:
    store.concepts.put([Concept("Kaze", "a fan", unit(1)), Concept("Mizu", "a pump", unit(0, 1))])
    store.concepts.count_access(["Kaze"])

    store.concepts.put([Concept("Kaze", "a quiet fan", unit(1), aliases=("KZ",))], removed=["Mizu", "unknown"])

    changes = store.changes_since(1)
    assert changes is not None
    (kept,) = changes.concepts
    assert (kept.definition, kept.aliases, kept.access_count) == ("a quiet fan", ("KZ",), 1)
    assert changes.deleted == [("concept", "Mizu")]


def test_associations_go_with_their_episodes(store: MemoryStore) -> None:
    store.episodes.add(episode())
    store.concepts.put([Concept("Kaze", "a fan", unit(1))])
    store.episodes.associate({("e1", "Kaze"): 0.4})
    store.episodes.associate({("e1", "Kaze"): 0.7})
    assert store.episodes.concepts_of(["e1", "e2"]) == {"e1": {"Kaze": 0.7}}

    store.episodes.remove(["e1"], NOW, "asked")
    assert store.episodes.concepts_of(["e1"]) == {}


def test_embeddings_are_kept_by_their_texts(store: MemoryStore) -> None:
    store.concepts.cache_vectors({"d1": unit(1), "d2": unit(0, 1)})
    store.concepts.cache_vectors({"d2": unit(1), "d3": unit(0, 0, 1)})

    found = store.concepts.cached_vectors(["d1", "d2", "d4"])
    assert sorted(found) == ["d1", "d2"]
    assert np.array_equal(found["d2"], unit(0, 1))


def test_many_writers_at_once(place: Path | str, open_store: Open) -> None:
    """The tables are made once, and no rating is lost or doubled."""
    stores = [open_store(place) for _ in range(4)]

    def rate(number: int) -> None:
        name = f"r{number // 2}"
        stores[number % 4].ratings.add(rating(name, user_id=name), episode())

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(rate, range(80)))

    changes = stores[0].changes_since(0)
    assert changes is not None
    assert sorted(r.id for r in changes.ratings) == sorted(f"r{number}" for number in range(40))
    assert len(changes.episodes) == 1


WRITER = """
import sys
from pathlib import Path
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from tests.memory_components.memories import episode, rating
place = sys.argv[1]
store = MemoryStore(place if "://" in place else Path(place))
for number in range(100_000):
    store.ratings.add(rating(f"r{number}", user_id=f"u{number}"), episode())
    print(number, flush=True)
"""


def test_what_was_answered_survives_kill_9(place: Path | str, open_store: Open) -> None:
    root = Path(__file__).parents[2]
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE, text=True, cwd=root)
    assert writer.stdout is not None
    answered = [int(writer.stdout.readline()) for _ in range(30)]
    writer.send_signal(signal.SIGKILL)
    answered += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    writer.stdout.close()
    writer.wait()

    kept = [r.id for r in open_store(place).ratings.of_episodes(["e1"])]
    assert len(kept) == len(set(kept))
    assert {f"r{number}" for number in answered} <= set(kept)
    assert len(kept) <= len(answered) + 1


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("not a url:secret", "can't be read; write postgresql://"),
        ("mysql://user:secret@host/name", "can't be in mysql; use PostgreSQL or a SQLite file"),
    ],
)
def test_a_url_of_another_kind(url: str, message: str) -> None:
    with pytest.raises(MemoryStoreError, match=message) as caught:
        MemoryDatabase(url)
    assert "secret" not in str(caught.value)


def test_a_server_that_is_down() -> None:
    database = MemoryDatabase("postgresql://user:secret@127.0.0.1:1/name")

    with pytest.raises(MemoryStoreError, match=r"the memory in .*127\.0\.0\.1:1/name can't be used") as caught:
        database.write().__enter__()
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "memory.sqlite").write_bytes(b"no database at all" * 100)

    with pytest.raises(MemoryStoreError, match=r"memory\.sqlite can't be used: file is not a database"):
        MemoryStore(tmp_path / "memory.sqlite").episodes.count()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A memory in a SQLite file with one session."""
    store = MemoryStore(tmp_path / "memory.sqlite")
    store.sessions.add(session())
    store.close()
    return tmp_path / "memory.sqlite"


def moved_away(file: Path) -> Path:
    """The file and what SQLite keeps beside it, in another folder."""
    folder = file.with_name("away")
    folder.mkdir()
    for each in file.parent.glob(f"{file.name}*"):
        each.rename(folder / each.name)
    return folder


def moved_back(folder: Path) -> None:
    for each in folder.iterdir():
        each.rename(folder.parent / each.name)


def test_nothing_is_written_into_a_file_that_was_taken_away(file: Path, open_store: Open) -> None:
    store = open_store(file)
    assert store.sessions.count() == 1

    folder = moved_away(file)
    for use in (store.sessions.count, lambda: store.sessions.add(session("s2"))):
        with pytest.raises(MemoryStoreError, match=r"memory\.sqlite can't be used: its file is gone; put it back"):
            use()
    assert not file.exists()

    moved_back(folder)
    store.sessions.add(session("s3"))
    assert open_store(file).sessions.count() == 2


def test_a_file_that_took_the_place_of_another_is_used(file: Path, tmp_path: Path, open_store: Open) -> None:
    store = open_store(file)
    store.ratings.add(rating(), episode())
    view = MemoryView(store)
    assert [e.id for e, _ in view.episodes()] == ["e1"]
    assert view.concepts() == {}
    other = MemoryStore(tmp_path / "other.sqlite")
    other.concepts.put([Concept("Kaze", "a fan", unit(1))])
    other.close()

    moved_away(file)
    (tmp_path / "other.sqlite").rename(file)

    assert view.episodes() == []
    assert list(view.concepts()) == ["Kaze"]
    store.sessions.add(session("s9"))
    assert open_store(file).sessions.count() == 1


def test_an_earlier_state_of_a_database_is_seen_as_it_is(store: MemoryStore) -> None:
    view = MemoryView(store)
    store.episodes.add(episode("e1"))
    store.episodes.add(episode("e2"))
    assert [e.id for e, _ in view.episodes()] == ["e1", "e2"]

    with store.database.write() as connection:  # as a backup that is taken in brings it back
        connection.execute(delete(episodes).where(episodes.c.id == "e2"))
        connection.execute(update(clock).values(value=1))

    assert [e.id for e, _ in view.episodes()] == ["e1"]
