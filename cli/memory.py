"""`tansaku memory`: look at what the memory keeps, take it back, carry it elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.output import JsonOption, ProfileOption, console, print_json, visible
from pipelines.counting import counted
from pipelines.errors import ArgumentError, TansakuError

if TYPE_CHECKING:
    from memory_components.rag_memory_integrator import RAGMemoryIntegrator

memory = typer.Typer(
    help="Look at what the memory keeps, take ratings back, forget, export and import.", no_args_is_help=True
)


@memory.command()
def stats(profile: ProfileOption = None, as_json: JsonOption = False) -> None:
    """
    Count sessions, episodes, ratings and concepts.

    \b
    Example:
      tansaku memory stats
    """
    from memory_components.memory_report import memory_stats

    with _opened(profile) as opened:
        found = memory_stats(opened)
    _print(found, as_json)


@memory.command("list")
def list_(
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, help="How many to leave out first.")] = 0,
    concepts: Annotated[bool, typer.Option("--concepts", help="List concepts instead of episodes.")] = False,
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    List episodes, the newest first, or concepts.

    \b
    Examples:
      tansaku memory list --limit 50
      tansaku memory list --concepts
    """
    from memory_components.episode_lines import concept_line, episode_line

    with _opened(profile) as opened:
        if concepts:
            lines = [concept_line(concept) for _, concept in sorted(opened.concepts().items())][offset : offset + limit]
        else:
            lines = [episode_line(episode) for episode in opened.store.episodes.page(limit, offset)]
    if as_json:
        print_json(lines)
        return
    for line in lines:
        name, text = (line["concept"], line["definition"]) if concepts else (line["memory_id"], line["context"])
        number = "" if concepts else f"{line['reward']:+.2f} {line['importance']:.2f} "
        console.print(f"{visible(name)}  {number}{visible(text)}", markup=False, soft_wrap=True)


@memory.command()
def show(
    name: Annotated[str, typer.Argument(help="An episode, a session or a concept.", show_default=False)],
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Show an episode with its ratings, what the memory did to a session's answer, or a concept.

    \b
    Examples:
      tansaku memory show 5f0c2b1e9a7d4c3f8b6a5d4e3c2b1a09
      tansaku memory show EV-2024-001
    """
    from memory_components.episode_lines import concept_line, episode_line
    from memory_components.explanation import rating_line

    with _opened(profile) as opened:
        found: dict[str, Any] = {}
        if episode := opened.store.episodes.get(name):
            found["episode"] = episode_line(episode)
            found["ratings"] = [rating_line(rating) for rating in opened.store.ratings.of_episodes([name])]
        if opened.store.sessions.get(name):
            found["session"] = opened.explain(name)
        if concept := opened.concepts().get(name):
            found["concept"] = {**concept_line(concept), "near": opened.semantic.related_concepts(name, depth=2)}
    if not found:
        raise ArgumentError("name", name, "the id of an episode or session, or the name of a concept")
    _print(found, as_json)


@memory.command()
def forget(
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, only tell what would go.")] = False,
    episode: Annotated[
        list[str] | None, typer.Option("--episode", help="Delete this episode instead of going by the rules.")
    ] = None,
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Tell what forgetting would keep for good, cut down and delete, or do it.

    \b
    Examples:
      tansaku memory forget
      tansaku memory forget --yes
      tansaku memory forget --episode 5f0c2b1e9a7d4c3f8b6a5d4e3c2b1a09 --yes
    """
    from memory_components.forgetting import ForgettingPlan
    from memory_components.memory_report import plan_lines

    with _opened(profile) as opened:
        if episode:
            for each in episode:
                if opened.store.episodes.get(each) is None:
                    raise ArgumentError("episode", each, "the id of an episode; `tansaku memory list` shows them")
            plan = ForgettingPlan(forget=tuple(episode))
            if yes:
                opened.store.episodes.remove(plan.forget, time.time(), "deleted")
        else:
            plan = opened.forgetter.run() if yes else opened.forgetter.plan()
    lines = plan_lines(plan)
    if as_json:
        print_json({"dry_run": not yes, **lines})
        return
    verb = "" if yes else "would be "
    for name, done in (("consolidate", "kept for good"), ("compress", "cut down"), ("forget", "deleted")):
        console.print(f"{counted(len(lines[name]), 'episode')} {verb}{done}")
        for each in lines[name] if not yes else ():
            console.print(f"  {visible(each)}", markup=False)


@memory.command()
def revoke(
    user: Annotated[str, typer.Option("--user", help="Whose ratings.", show_default=False)],
    since: Annotated[
        str, typer.Option("--since", help="From when on: a date or a time, 2026-04-01 or 2026-04-01T09:30.")
    ] = "1970-01-01",
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Take back what a user said: the ratings stay in the records and act no more, from this moment on.

    \b
    Example:
      tansaku memory revoke --user mallory --since 2026-04-01
    """
    begin = _seconds(since)
    with _opened(profile) as opened:
        count = opened.store.ratings.revoke(user, begin, time.time())
    if as_json:
        print_json({"user": user, "since": begin, "revoked": count})
    else:
        console.print(f"{counted(count, 'rating')} of {visible(user)} taken back", markup=False)


@memory.command()
def export(
    file: Annotated[Path, typer.Argument(help="The file to write, as JSON lines.", show_default=False)],
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Write all episodes, ratings, concepts and their ties to a file.

    \b
    Example:
      tansaku memory export memory.jsonl
    """
    from memory_components.exchange import export_lines

    part = file.with_name(f".{file.name}.part")
    count = 0
    try:
        with _opened(profile) as opened, _written(file), part.open("w", encoding="utf-8") as out:
            for line in export_lines(opened):
                out.write(line + "\n")
                count += 1
        with _written(file):
            part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    if as_json:
        print_json({"file": str(file), "lines": count})
    else:
        console.print(f"{counted(count, 'line')} written to {file}", markup=False, soft_wrap=True)


@memory.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A file that export wrote.", show_default=False)],
    profile: ProfileOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Take in the lines of an export, all of them or none. What is there already stays, so that taking in twice is as
    once.

    \b
    Example:
      tansaku memory import memory.jsonl
    """
    from memory_components.exchange import import_lines

    with _opened(profile) as opened, _read(file), file.open(encoding="utf-8") as lines:
        found = import_lines(opened, lines)
    _print(found, as_json)


@contextmanager
def _opened(profile: str | None) -> "Iterator[RAGMemoryIntegrator]":
    from pipelines.memory import memory_errors, open_memory

    opened = open_memory(profile)
    try:
        with memory_errors():
            yield opened
    finally:
        opened.close()


@contextmanager
def _written(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TansakuError(f"{file} can't be written: {error.strerror or error}") from error


@contextmanager
def _read(file: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        raise TansakuError(f"{file} can't be read: {getattr(error, 'strerror', None) or error}") from error


def _seconds(text: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentError("since", text, "a date or a time such as 2026-04-01 or 2026-04-01T09:30") from None
    # A time without a zone is one of this machine's.
    return (found if found.tzinfo else found.astimezone()).astimezone(UTC).timestamp()


def _print(values: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(values)
        return
    import yaml

    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, default_flow_style=False)
    console.print("\n".join(visible(line) for line in text.splitlines()), markup=False, soft_wrap=True)
