"""The whole manual as published, or the sample pages: no title and no word is lost, ids are unique, text is clean."""

import copy
import re
from collections import Counter

import pytest
from haystack import Document
from lxml import html

from components.converters.appendix_headings import collection_of_title, read_provision
from components.converters.html_blocks import article_of, parse_page, tidy
from components.converters.record import BLOCK_KINDS
from tests.components.converters.manual_pages import convert, real_or_sample_pages

# Menus and tables of contents.
CONTENTS = " | ".join(
    [
        ".//div[@class='Index']/*[not(self::h1)]",
        ".//div[@class='AppendixChapter']/ul",
        ".//a[@href='#top']",
        ".//li[a/@href]",
    ]
)
# Headings that only repeat the name of the collection.
COLLECTION = re.compile(
    r"\s*(?:table of contents|subchapter|chapter I - United States Patent|(?:united states code )?title \d+ -)",
    re.IGNORECASE,
)
BREAKS = frozenset(
    ["blockquote", "br", "caption", "div", "h1", "h2", "h3", "h4", "hr", "li", "p", "table", "td", "th", "tr", "ul"]
)


@pytest.fixture(scope="module")
def pages() -> dict[str, bytes]:
    return real_or_sample_pages()


@pytest.fixture(scope="module")
def roots(pages: dict[str, bytes]) -> dict[str, html.HtmlElement]:
    return {name: parse_page(data) for name, data in pages.items()}


@pytest.fixture(scope="module")
def records(pages: dict[str, bytes]) -> dict[str, list[Document]]:
    return convert(pages)


def titles(root: html.HtmlElement) -> list[str]:
    found = (tidy(element.text_content()) for element in root.iter("h1") if element.get("class") == "page-title")
    return [title for title in found if title]


def test_every_title_is_found_under_its_number(
    roots: dict[str, html.HtmlElement], records: dict[str, list[Document]]
) -> None:
    lost = []
    for name, root in roots.items():
        numbers = {record.meta["section"] for record in records[name]}
        labels = {f"¶ {block['label']}" for record in records[name] for block in record.meta["blocks"]}
        collection = next((c for e in root.iter("h1") if (c := collection_of_title(e.text_content()))), None)
        for title in titles(root):
            if title.startswith("¶"):
                number = " ".join(title.split()[:2])
            elif collection:
                number = read_provision(title, collection).section
            else:
                match = re.match(r"\d[\d.()a-z]*(?: ?[-–] ?\d[\d.()a-z]*)?", title)
                number = match.group().strip() if match else str(int(re.sub(r"\D", "", name)))
            if number not in (labels if title.startswith("¶") else numbers):
                lost.append((name, title))
    assert lost == []


def test_ids_are_unique(records: dict[str, list[Document]]) -> None:
    ids = Counter(record.id for found in records.values() for record in found)
    assert [name for name, count in ids.items() if count > 1] == []
    assert len(ids) > 20


def characters(text: str) -> Counter[str]:
    """Words as they are read; blanks inside numbers ("43 bis .1") and "^" before a power don't count."""
    text = re.sub(r"(?<=\d)\s+(?=(?:bis|ter|quater|quinquies|sexies|septies)\b)", "", text)
    return Counter(word for word in re.findall(r"[^\W_]+", text))


def own_text(article: html.HtmlElement, contents: bool) -> str:
    dropped = article.xpath(CONTENTS) if contents else article.xpath(".//a[@href='#top']")
    dropped += [e for e in article.iter("h1", "h2", "p") if COLLECTION.match(e.text_content())] if contents else []
    for element in dropped:
        element.drop_tree()
    for title in article.xpath(".//div[@class='Index']/h1"):
        title.tail = ""
    for element in article.iter("*"):
        # Powers are set apart by "^", deleted text by brackets.
        power = element.tag == "sup" and (element.text or "").strip().isdigit()
        if element.tag in BREAKS or power or element.get("class") == "Strike":
            element.text = f" {element.text or ''}"
            element.tail = f" {element.tail or ''}"
    return article.text_content()


def test_no_word_is_lost(roots: dict[str, html.HtmlElement], records: dict[str, list[Document]]) -> None:
    lost: dict[str, Counter[str]] = {}
    for name, found in records.items():
        if not found:
            continue
        article = copy.deepcopy(article_of(roots[name]))
        assert article is not None
        kept: Counter[str] = Counter()
        for record in found:
            meta = record.meta
            kept += characters(record.content or "")
            for heading in (*meta["breadcrumb"], meta["section"], meta["title"], meta["edition"], meta["revision"]):
                kept += characters(f"{heading} {heading.upper()}")
        # "[R-]" is a revision mark without a revision; the letter behind a part's heading belongs to the menu.
        missing = characters(own_text(article, contents=name.startswith("mpep-")).replace("[R-]", "")) - kept
        missing = Counter({word: count for word, count in missing.items() if len(word) > 1})
        if missing:
            lost[name] = missing
    assert lost == {}


def test_text_is_clean_and_blocks_fit(records: dict[str, list[Document]]) -> None:
    for record in (record for found in records.values() for record in found):
        text = record.content or ""
        assert not re.search(r"  |[ \t]\n|\n[ \t]|\n{3}|\t|\u00a0|\u00ad", text), record.id
        assert not re.search(r"â€|Ã.|&(?:nbsp|amp|sect);", text), record.id
        position = 0
        for block in record.meta["blocks"]:
            assert block["kind"] in BLOCK_KINDS
            assert position <= block["start"] < block["end"] <= len(text)
            assert text[position : block["start"]].strip() == ""
            position = block["end"]
        assert position == len(text)


def test_every_record_can_be_named(records: dict[str, list[Document]]) -> None:
    for record in (record for found in records.values() for record in found):
        meta = record.meta
        assert meta["section"], record.id
        assert meta["number_label"], record.id
        assert meta["breadcrumb"][-1].endswith(meta["title"]), record.id
        assert meta["url"].startswith("https://www.uspto.gov/web/offices/pac/mpep/"), record.id
        assert not re.search(r"\s", meta["url"]), record.id
