"""HTML pages: structure, encodings, what is no text."""

import pytest

from components.converters.html_document import HtmlConverter
from tests.components.converters.company_files import blocks, one, reason

CONVERTER = HtmlConverter()


def test_all_blocks_without_menus() -> None:
    page = (
        "<html><head><title>通知</title><style>p {}</style></head><body><nav>目次</nav><main><h1>夏季休業</h1>"
        "<p>8月11\n日から<ruby>休<rt>きゅう</rt></ruby>業。<h2>期間</h2><div>本文の<b>太字</b>。<p>次の段落。</div>"
        "<ul><li>一<li>二</ul><table><caption>日程</caption><tr><th>日<th>内容<tr><td>11<td>休業</table></main>"
        "<script>x()</script><footer>社外秘</footer></body></html>"
    )
    document = one(CONVERTER, page.encode(), "a.html")

    assert document.meta["title"] == "夏季休業"
    assert blocks(document) == [
        ("heading", "夏季休業", []),
        ("text", "8月11日から休業。", []),
        ("heading", "期間", []),
        ("text", "本文の太字。", ["期間"]),
        ("text", "次の段落。", ["期間"]),
        ("list", "- 一\n- 二", ["期間"]),
        ("text", "日程", ["期間"]),
        ("table", "日 | 内容\n11 | 休業", ["期間"]),
    ]


@pytest.mark.parametrize(
    ("codec", "declared"),
    [
        ("cp932", "Shift_JIS"),
        ("euc_jp", "EUC-JP"),
        ("iso2022_jp", "ISO-2022-JP"),
        ("utf-8", "Shift_JIS"),
        ("cp932", ""),
    ],
)
def test_the_text_decides_about_the_encoding(codec: str, declared: str) -> None:
    head = f'<head><meta charset="{declared}"><title>通知</title></head>'
    page = f"<html>{head}<body><p>会議は中止とする。</p></body></html>"
    document = one(CONVERTER, page.encode(codec), "a.html")

    assert (document.content, document.meta["title"]) == ("会議は中止とする。", "通知")


def test_pages_laid_out_by_tables_are_read_as_text() -> None:
    page = "<table><tr><td><h2>概要</h2><p>本文。</p><table><tr><td>a<td>b<tr><td>c<td>d</table></td></tr></table>"

    assert blocks(one(CONVERTER, page.encode(), "a.html")) == [
        ("heading", "概要", []),
        ("text", "本文。", []),
        ("table", "a | b\nc | d", []),
    ]


def test_an_xml_declaration_is_no_obstacle() -> None:
    page = '<?xml version="1.0" encoding="EUC-JP"?><html><body><p>本文です。</p></body></html>'

    assert one(CONVERTER, page.encode("euc_jp"), "a.html").content == "本文です。"


@pytest.mark.parametrize("page", ["<html><body><nav>目次</nav></body></html>", "<!-- -->"])
def test_a_page_without_text(page: str) -> None:
    assert reason(CONVERTER, page.encode(), "a.html") == "there is no text in it"
