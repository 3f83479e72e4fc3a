import random

import pytest

from components.converters.pdf_layout import find_gutters, reading_order
from components.converters.pdf_reading import Page, Word
from components.converters.pdf_running_lines import remove_running_lines

WIDTH, HEIGHT = 600.0, 800.0


def words_of(text: str, x0: float, x1: float, top: float, size: float = 10.0, *, bold: bool = False) -> list[Word]:
    """A justified line: equal words over the whole width."""
    parts = text.split()
    width = (x1 - x0 - 3 * (len(parts) - 1)) / len(parts)
    starts = [x0 + place * (width + 3) for place in range(len(parts))]
    return [Word(part, at, at + width, top, top + size, size, bold) for part, at in zip(parts, starts, strict=True)]


def column(name: str, x0: float, x1: float, top: float, count: int) -> list[Word]:
    """Lines "name0a name0b name0c ..." with words of differing width, so that blanks don't stand above each other."""
    found = []
    for line in range(count):
        words = words_of(" ".join(f"{name}{line}{letter}" for letter in "abcde"), x0, x1, top + 12 * line)
        for place, word in enumerate(words[:-1]):
            shift = ((line * 7 + place * 5) % 11) - 5
            word.x1 += shift
            words[place + 1].x0 += shift
        found += words
    return found


def text_of(pages: list[Page]) -> list[str]:
    return [line.words[0].text[:-1] for line in reading_order(pages)]


def names(name: str, count: int) -> list[str]:
    return [f"{name}{line}" for line in range(count)]


def shuffled(words: list[Word]) -> list[Word]:
    """The order in the file mustn't matter."""
    random.Random(7).shuffle(words)
    return words


def test_two_columns_are_read_one_after_the_other() -> None:
    page = Page(1, WIDTH, HEIGHT, shuffled(column("L", 50, 290, 60, 20) + column("R", 310, 550, 63, 18)))
    assert len(find_gutters([page])) == 1
    assert text_of([page]) == names("L", 20) + names("R", 18)


def test_three_columns() -> None:
    words = column("A", 40, 200, 60, 20) + column("B", 220, 380, 60, 20) + column("C", 400, 560, 60, 20)
    page = Page(1, WIDTH, HEIGHT, shuffled(words))
    assert text_of([page]) == names("A", 20) + names("B", 20) + names("C", 20)


def test_one_column_has_no_gutter() -> None:
    page = Page(1, WIDTH, HEIGHT, column("T", 50, 550, 60, 40))
    assert find_gutters([page]) == []
    assert text_of([page]) == names("T", 40)


def test_a_full_width_heading_ends_the_columns_above() -> None:
    above = column("a", 50, 290, 60, 8) + column("b", 310, 550, 60, 8)
    heading = words_of("H1 H2 H3 H4 H5 H6", 150, 450, 172, bold=True)
    below = column("c", 50, 290, 200, 8) + column("d", 310, 550, 200, 8)
    page = Page(1, WIDTH, HEIGHT, shuffled(above + heading + below))
    assert text_of([page]) == [*names("a", 8), *names("b", 8), "H", *names("c", 8), *names("d", 8)]


def test_a_short_full_width_heading_on_the_left_ends_the_columns_above() -> None:
    above = column("a", 50, 290, 60, 8) + column("b", 310, 550, 60, 8)
    heading = words_of("H1 H2", 50, 130, 172, bold=True)
    below = column("c", 50, 290, 200, 8) + column("d", 310, 550, 200, 8)
    page = Page(1, WIDTH, HEIGHT, above + heading + below)
    assert text_of([page]) == [*names("a", 8), *names("b", 8), "H", *names("c", 8), *names("d", 8)]


def test_full_width_text_then_columns_then_full_width_text() -> None:
    words = column("f", 50, 550, 60, 5) + column("l", 50, 290, 130, 10) + column("r", 310, 550, 130, 9)
    words += column("g", 50, 550, 270, 5)
    pages = [Page(1, WIDTH, HEIGHT, words)]
    assert text_of(pages) == names("f", 5) + names("l", 10) + names("r", 9) + names("g", 5)


def test_mirrored_margins_give_each_page_its_own_columns() -> None:
    odd = column("L", 70, 300, 60, 30) + column("R", 320, 550, 60, 30)
    even = column("L", 40, 270, 60, 30) + column("R", 290, 520, 60, 30)
    pages = [Page(1, WIDTH, HEIGHT, odd), Page(2, WIDTH, HEIGHT, even)]
    assert text_of(pages) == 2 * (names("L", 30) + names("R", 30))
    lines = reading_order(pages)
    assert {round(line.left) for line in lines if line.page == 2} == {40, 290}


def test_empty_pages_are_skipped() -> None:
    pages = [Page(1, WIDTH, HEIGHT), Page(2, WIDTH, HEIGHT, column("T", 50, 550, 60, 3)), Page(3, WIDTH, HEIGHT)]
    bodies, removed = remove_running_lines(pages)
    assert removed == []
    assert [(line.page, line.words[0].text) for line in reading_order(bodies)] == [(2, f"T{i}a") for i in range(3)]


def test_a_table_makes_no_columns() -> None:
    rows = [word for line in range(12) for x0 in (50, 320) for word in words_of("x y", x0, x0 + 60, 60 + 12 * line)]
    assert find_gutters([Page(1, WIDTH, HEIGHT, rows)]) == []


def running_pages(count: int, head: str, foot: str) -> list[Page]:
    pages = []
    for number in range(1, count + 1):
        words = words_of(head.format(number), 50, 200, 30)
        words += words_of("PATENTABILITY", 450, 550, 30)
        words += column("pqrstuvw"[number - 1], 50, 550, 80 + number, 5)
        words += words_of(foot.format(number), 300, 340, 760)
        pages.append(Page(number, WIDTH, HEIGHT, words))
    return pages


@pytest.mark.parametrize(
    ("head", "foot"),
    [
        ("§ 210{}", "2100-{}"),
        ("§ 2106.0{}(a)(2)", "Rev. 07.2022, February 2023 2100-{}"),
        ("MANUAL OF PATENT EXAMINING PROCEDURE", "- {} -"),
        ("Federal Register / Vol. 89, No. 30", "Page {} of 9"),
    ],
)
def test_running_lines_go(head: str, foot: str) -> None:
    pages, removed = remove_running_lines(running_pages(4, head, foot))
    assert [line.page for line in reading_order(pages)] == [page for page in range(1, 5) for _ in range(5)]
    assert f"{head.format(2)} PATENTABILITY" in removed
    assert foot.format(3) in removed


def test_a_page_number_goes_from_a_single_page() -> None:
    pages, removed = remove_running_lines(running_pages(1, "Alone", "2100-{}"))
    assert removed == ["2100-1"]
    assert [word.text for word in pages[0].words][:2] == ["Alone", "PATENTABILITY"]


def test_the_same_short_line_at_the_end_of_some_pages_stays() -> None:
    pages = running_pages(8, "§ 210{}", "2100-{}")
    for page in pages:
        text = "Examiner Note:" if page.number % 4 == 0 else f"some other text {page.number * 'x'}"
        page.words += words_of(text, 50, 200, 735)
    bodies, removed = remove_running_lines(pages)
    assert all("Examiner" not in text for text in removed)
    assert sum(word.text == "Examiner" for page in bodies for word in page.words) == 2
