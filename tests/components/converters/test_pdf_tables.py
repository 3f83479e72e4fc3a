from components.converters.pdf_hyphens import Vocabulary
from components.converters.pdf_lines import Line
from components.converters.pdf_paragraphs import paragraphs_of
from components.converters.pdf_reading import Word
from components.converters.pdf_tables import find_tables


def line(top: float, *cells: tuple[float, str], page: int = 1) -> Line:
    """A line whose words are 5 points a letter wide with blanks of 3 points between."""
    words = []
    for x0, text in cells:
        at = x0
        for part in text.split():
            words.append(Word(part, at, at + 5 * len(part), top, top + 10, 10.0))
            at += 5 * len(part) + 3
    return Line(words, page, 50, 350, page)


def test_rows_are_told_by_the_wider_step() -> None:
    lines = [
        line(100, (50, "Claim"), (150, "Refers to"), (250, "Counts")),
        line(114, (50, "1"), (150, "none"), (250, "once")),
        line(128, (50, "2"), (150, "claim 1 or"), (250, "twice for")),
        line(140, (150, "any other"), (250, "the fees")),
        line(154, (50, "3"), (250, "once")),
    ]
    assert find_tables(lines) == [
        (
            0,
            5,
            [
                [["Claim"], ["Refers to"], ["Counts"]],
                [["1"], ["none"], ["once"]],
                [["2"], ["claim 1 or", "any other"], ["twice for", "the fees"]],
                [["3"], [], ["once"]],
            ],
        )
    ]
    (paragraph,) = paragraphs_of(lines)
    rows = [
        "Claim | Refers to | Counts",
        "1 | none | once",
        "2 | claim 1 or any other | twice for the fees",
        "3 | - | once",
    ]
    assert paragraph.text(Vocabulary([])) == "\n".join(rows)


def test_rows_of_one_line_each() -> None:
    lines = [line(100 + 12 * row, (50, f"row {row}"), (200, f"value {row}")) for row in range(4)]
    ((start, end, rows),) = find_tables(lines)
    assert (start, end) == (0, 4)
    assert rows == [[[f"row {row}"], [f"value {row}"]] for row in range(4)]


def test_text_and_lists_are_no_tables() -> None:
    text = [line(100 + 12 * row, (50, "some words of a line that goes on and on")) for row in range(5)]
    items = [
        line(200 + 12 * row, (50, f"({letter})"), (80, "an item of the list")) for row, letter in enumerate("abcd")
    ]
    assert find_tables(text) == []
    assert find_tables(items) == []


def test_a_repeated_head_is_left_out() -> None:
    first = [line(100 + 12 * row, (50, name), (200, value)) for row, (name, value) in enumerate(ROWS[:3])]
    second = [line(100 + 12 * row, (50, name), (200, value), page=2) for row, (name, value) in enumerate(ROWS[::3])]
    texts = [paragraph.text(Vocabulary([])) for paragraph in paragraphs_of([*first, *second])]
    assert texts == ["State | Since\nAustria | 1979\nBrazil | 1978", "Chad | 1978\nDenmark | 1979"]


ROWS = [
    ("State", "Since"),
    ("Austria", "1979"),
    ("Brazil", "1978"),
    ("Chad", "1978"),
    ("", ""),
    ("", ""),
    ("Denmark", "1979"),
]


def test_a_second_table_that_begins_alike_on_the_same_page_stays_whole() -> None:
    first = [line(100 + 12 * row, (50, name), (200, value)) for row, (name, value) in enumerate(ROWS[:3])]
    between = line(150, (50, "And another table of this kind:"))
    second = [line(170 + 12 * row, (50, name), (200, value)) for row, (name, value) in enumerate(ROWS[::3])]
    texts = [paragraph.text(Vocabulary([])) for paragraph in paragraphs_of([*first, between, *second])]
    assert texts[-1] == "State | Since\nChad | 1978\nDenmark | 1979"
