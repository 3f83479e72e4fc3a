"""How hits look on a terminal."""

from collections.abc import Sequence

from cli.output import console


def print_passage(
    head: Sequence[tuple[str, str]],
    text: str,
    highlights: Sequence[Sequence[int]],
    foot: str,
    marks: Sequence[str] = (),
) -> None:
    """
    Print one passage.

    :param head: Parts of its first line, each with its style.
    :param text: Its text.
    :param highlights: The ranges of the text that matched.
    :param foot: Its last line.
    :param marks: What stands out between the text and that.
    """
    from rich.text import Text

    console.print(Text.assemble(*head), soft_wrap=True)
    marked = Text(text)
    for start, end in highlights:
        marked.stylize("bold yellow", start, end)
    console.print(marked, soft_wrap=True)
    for mark in marks:
        console.print(Text(mark, "bold magenta"), soft_wrap=True)
    console.print(Text(f"{foot}\n", "dim"), soft_wrap=True)
