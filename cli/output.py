"""What all commands share: consoles, JSON for programs, progress bars, exit codes and common options."""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console

DONE, FAILED, WRONG_USE = 0, 1, 2

wants_json: ContextVar[bool] = ContextVar("wants_json", default=False)
"""Whether JSON was asked for and none was printed yet."""

console = Console(highlight=False)
"""Standard output: answers and reports."""

errors = Console(stderr=True, highlight=False)
"""Standard error: progress, warnings and errors, so that standard output holds the answer alone."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs, and nothing else.")]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", help="Which stores and models the names in a pipeline stand for.", show_default="embedded"
    ),
]


class ProgressReport(Protocol):
    """What long work calls to say how far it is: the step's name, what is done and what there is to do."""

    def __call__(self, step: str, done: int, total: int | None) -> None: ...


def print_json(data: Any) -> None:
    """
    Print `data` as JSON on standard output, as it is: no colours, no wrapping.

    :param data: Anything that `json.dumps` takes; paths and dates are written as text.
    """
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2, default=str) + "\n")
    wants_json.set(False)


def print_json_error(message: str) -> None:
    """Print `{"error": ...}` on standard output where JSON was asked for and none was printed yet."""
    if wants_json.get():
        print_json({"error": message})


def visible(text: str) -> str:
    """A name from outside as it can be shown on a terminal: control characters are replaced."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def print_error(message: str) -> None:
    """Print one line `error: ...` on standard error."""
    sys.stderr.write(f"error: {' '.join(message.split())}\n")


def print_warning(message: str) -> None:
    """Print one line `warning: ...` on standard error."""
    sys.stderr.write(f"warning: {' '.join(message.split())}\n")


def _ignore(step: str, done: int, total: int | None) -> None:
    """The progress report of a run that nobody watches."""


@contextmanager
def quiet_logger(name: str) -> Iterator[None]:
    """
    Keep warnings of one module to itself.

    :param name: The module's logger.
    """
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _lines_of(package: str) -> Iterator[None]:
    """Print what a package logs on standard error, as it is."""
    logger, handler = logging.getLogger(package), logging.StreamHandler()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


@contextmanager
def progress_bars(quiet: bool = False) -> Iterator[ProgressReport]:
    """
    Show one bar a step, with rate and time left, while the block runs; when standard error is not a terminal, a line
    for what takes long and is done once: preparing the embedder's model.

    Usage example:
    ```python
    with progress_bars() as report:
        for done, batch in enumerate(batches):
            report("embedding chunks", done, len(batches))
    ```

    :param quiet: Show nothing even on a terminal.
    :returns: The function to report with.
    """
    if quiet:
        yield _ignore
        return
    if not errors.is_terminal:
        with _lines_of("components.embedders"):
            yield _ignore
        return
    # Rich's progress module costs 0.1 s to import, which commands without a bar don't pay.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeftColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed and speed >= 10 else f"{speed:.1f}/s" if speed else "", "cyan")

    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        RateColumn(),
        TimeLeftColumn(elapsed_when_finished=True),
        console=errors,
        speed_estimate_period=20,
    )
    steps: dict[str, TaskID] = {}

    def report(step: str, done: int, total: int | None) -> None:
        if step not in steps:
            steps[step] = bars.add_task(step, total=total)
        bars.update(steps[step], completed=done, total=total)

    with bars:
        yield report
