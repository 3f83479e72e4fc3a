"""Lines and blocks from HTML: white space, lists, tables, links, superscripts, pages that are broken."""

import pytest
from lxml import html

from components.converters.html_blocks import (
    LineReader,
    ParserError,
    anchor_of,
    article_of,
    marker_of,
    packed,
    parse_page,
    tidy,
)


def lines(markup: str) -> list[str]:
    note = LineReader(lambda href, text, before: href.removeprefix("cite:") if href.startswith("cite:") else "")
    return note.lines(html.fragment_fromstring(f"<div>{markup}</div>"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \n\t jar\u00a0 of\u2003glass ", "a jar of glass"),
        ("see ( the lid ) , then [ 1 ] .", "see (the lid), then [1]."),
        ("Rule 43 bis .1(a) and 13 ter .2", "Rule 43bis.1(a) and 13ter.2"),
        ("Article 4 bis of 2 terms", "Article 4bis of 2 terms"),
        ("a fee ...... of $ 5 .......... 10", "a fee ... of $ 5 ... 10"),
        ("he said . . . nothing", "he said . . . nothing"),
        ("at .5 mm", "at .5 mm"),
        ("soft\u00adhyphen and zero\u200bwidth", "softhyphen and zerowidth"),
        ("* * * * *", "* * * * *"),
        ("", ""),
    ],
)
def test_tidy(text: str, expected: str) -> None:
    assert tidy(text) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>one <b>jar</b>, <i>two</i>\n  jars</p>", ["one jar, two jars"]),
        ("<p>ab<b>cd</b>e</p>", ["abcde"]),
        ("<p>first<br>second</p>third", ["first", "second", "third"]),
        ("loose <b>text</b><p>paragraph</p> tail", ["loose text", "paragraph", "tail"]),
        ("<p>__________</p><p></p><p>x_1</p>", ["x_1"]),
        (
            "<ul><li>(a) one</li><li>two</li><li>3. three</li><li>• four</li></ul>",
            ["(a) one", "- two", "3. three", "• four"],
        ),
        ("<ul><li>(b) <ul><li>(1) deep</li><li>(2) deeper</li></ul></li></ul>", ["(b) (1) deep", "(2) deeper"]),
        ("<ul><li>(A) that is <ul><li>this;</li></ul> or more</li></ul>", ["(A) that is", "- this;", "or more"]),
        ("<ul><li><p></p></li><li>(1) x</li></ul>", ["(1) x"]),
        ("<p>10<sup>3</sup> g of E=mc<sup>2</sup>, the 4<sup>th</sup></p>", ["10^3 g of E=mc^2, the 4th"]),
        ("<p><sup>1</sup>A note</p><p>a word<sup>1</sup>, more</p>", ["1 A note", "a word^1, more"]),
        (
            '<p>a <span class="Strike">green</span> <span class="Underline">blue</span> jar</p>',
            ["a [[green]] blue jar"],
        ),
        ('<p>text <a href="#top">[top]</a></p>', ["text"]),
        ('<p>as <a href="cite:Law 1">section 1</a>, says</p>', ["as section 1 [Law 1], says"]),
        ('<p>as <a href="s1.html">section 1</a> says</p>', ["as section 1 says"]),
        ('<div><img src="x.png" alt="A jar [Page 1]"><p>below</p></div>', ["[Figure: A jar [Page 1]]", "below"]),
        ("<script>x()</script><style>p{}</style><p>shown</p>", ["shown"]),
        ("<p>5 &lt; 6 &amp; 7 &sect; 8</p>", ["5 < 6 & 7 § 8"]),
    ],
)
def test_lines(markup: str, expected: list[str]) -> None:
    assert lines(markup) == expected


def test_table_rows() -> None:
    markup = (
        "<table><caption>Weights</caption><thead><tr><th>Jar</th><th>Weight<br>in g</th></tr></thead>"
        "<tbody><tr><td><p>large</p><p>jar</p></td><td>9</td></tr><tr><td></td><td>8</td><td></td></tr>"
        "<tr><td> </td></tr></tbody></table>"
    )
    assert lines(markup) == ["Weights", "Jar | Weight in g", "large jar | 9", "- | 8"]


def test_items_keep_inner_lists_together() -> None:
    reader = LineReader(lambda href, text, before: "")
    box = html.fragment_fromstring(
        "<div><ul><li>(a) one <ul><li>(1) deep</li></ul></li><li>(b) two</li></ul><p>after</p></div>"
    )
    assert reader.items(box) == [["(a) one", "(1) deep"], ["(b) two"], ["after"]]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], []),
        (["aaaa", "bb", "cc"], ["aaaa\nbb", "cc"]),
        (["a" * 20, "b"], ["a" * 20, "b"]),
        (["a", "b" * 20, "c", "d"], ["a", "b" * 20, "c\nd"]),
    ],
)
def test_packed(texts: list[str], expected: list[str]) -> None:
    assert packed(texts, limit=8) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("(a) one", "(a)"), ("(a) (1)(iii) one", "(a) (1)(iii)"), ("one (a)", ""), ("(something) else", ""), ("", "")],
)
def test_marker_of(text: str, expected: str) -> None:
    assert marker_of(text) == expected


def test_anchor_of() -> None:
    assert anchor_of(html.fragment_fromstring('<div><a name="fp1"></a><p id="p1">x</p></div>')) == "fp1"
    assert anchor_of(html.fragment_fromstring('<p id="p1">x</p>')) == "p1"
    assert anchor_of(html.fragment_fromstring('<p id="">x</p>')) == ""


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("<div id='article'>§ “jar”</div>".encode(), "§ “jar”"),
        ("<div id='article'>§ “jar”</div>".encode("windows-1252"), "§ “jar”"),
        (b"front matter<div id='article'>jar</p></div>", "jar"),
    ],
)
def test_parse_page(data: bytes, expected: str) -> None:
    article = article_of(parse_page(data))
    assert article is not None
    assert article.text_content() == expected


@pytest.mark.parametrize("data", [b"", b"   \n "])
def test_an_empty_page_is_a_parser_error(data: bytes) -> None:
    with pytest.raises(ParserError):
        parse_page(data)


def test_a_page_without_article() -> None:
    assert article_of(parse_page(b"<p>no article</p>")) is None
