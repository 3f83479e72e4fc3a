"""PowerPoint files: slides, tables, groups and notes."""

import io

import pptx
from pptx.util import Cm

from components.converters.pptx_document import PptxConverter
from tests.components.converters.company_files import one, reason

CONVERTER = PptxConverter()


def saved(file: "pptx.presentation.Presentation") -> bytes:
    buffer = io.BytesIO()
    file.save(buffer)
    return buffer.getvalue()


def test_slides_with_numbers_tables_groups_and_notes() -> None:
    file = pptx.Presentation()
    first = file.slides.add_slide(file.slide_layouts[1])
    first.shapes.title.text = "中期計画"
    first.placeholders[1].text = "売上の目標\n利益の目標"
    first.notes_slide.notes_text_frame.text = "円安は別紙。"
    second = file.slides.add_slide(file.slide_layouts[5])
    second.shapes.title.text = "予算"
    table = second.shapes.add_table(2, 2, Cm(1), Cm(1), Cm(9), Cm(3)).table
    for place, text in enumerate(["科目", "額", "旅費", "3"]):
        table.cell(place // 2, place % 2).text = text
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(Cm(1), Cm(5), Cm(4), Cm(1)).text_frame.text = "組の中の文。"
    document = one(CONVERTER, saved(file), "plan.pptx")

    text = document.content or ""
    assert [(b["kind"], text[b["start"] : b["end"]], b["page"], b["label"]) for b in document.meta["blocks"]] == [
        ("heading", "中期計画", 1, "slide 1"),
        ("list", "売上の目標\n利益の目標", 1, "slide 1"),
        ("note", "円安は別紙。", 1, "slide 1"),
        ("heading", "予算", 2, "slide 2"),
        ("table", "科目 | 額\n旅費 | 3", 2, "slide 2"),
        ("text", "組の中の文。", 2, "slide 2"),
    ]
    assert (document.meta["title"], document.meta["slides"]) == ("中期計画", 2)


def test_slides_without_text() -> None:
    file = pptx.Presentation()
    file.slides.add_slide(file.slide_layouts[6])

    assert reason(CONVERTER, saved(file), "a.pptx") == "there is no text in it"
