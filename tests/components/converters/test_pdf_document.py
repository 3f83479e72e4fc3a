"""PDFs of any kind: Japanese lines joined without blanks, headings, pages."""

from components.converters.pdf_document import PdfConverter
from tests.components.converters.company_files import one, reason
from tests.japanese_pdf import japanese_pdf

CONVERTER = PdfConverter()


def test_paragraphs_headings_and_pages() -> None:
    data = japanese_pdf(
        [
            [
                (18, "安全上の注意"),
                (11, ""),
                (11, "この充電器は高い電圧を使います。扉を開けると、内部の電源は自動で切れま"),
                (11, "すが、残った電気がなくなるまで、10分のあいだ触れないでください。"),
                (11, ""),
                (14, "冷却水の補充"),
                (11, ""),
                (11, "冷却水は年に1回、指定の不凍液を補充します。水道水を入れてはいけません。"),
            ],
            [(14, "廃棄"), (11, ""), (11, "電力変換モジュールは、専門の会社に引き渡してください。")],
        ]
    )
    document = one(CONVERTER, data, "a.pdf")

    text = document.content or ""
    assert [(b["kind"], text[b["start"] : b["end"]], b["headings"], b["page"]) for b in document.meta["blocks"]] == [
        ("heading", "安全上の注意", [], 1),
        (
            "text",
            "この充電器は高い電圧を使います。扉を開けると、内部の電源は自動で切れますが、"
            "残った電気がなくなるまで、10分のあいだ触れないでください。",
            [],
            1,
        ),
        ("heading", "冷却水の補充", [], 1),
        ("text", "冷却水は年に1回、指定の不凍液を補充します。水道水を入れてはいけません。", ["冷却水の補充"], 1),
        ("heading", "廃棄", [], 2),
        ("text", "電力変換モジュールは、専門の会社に引き渡してください。", ["廃棄"], 2),
    ]
    assert (document.meta["title"], document.meta["pages"]) == ("安全上の注意", 2)


def test_what_cannot_be_read_is_named() -> None:
    assert "no text layer" in reason(CONVERTER, japanese_pdf([[(11, "")]]), "a.pdf")
    assert "cut off" in reason(CONVERTER, japanese_pdf([[(11, "本文")]])[:300], "a.pdf")
