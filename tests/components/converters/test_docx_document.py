"""Word files: what python-docx's own text leaves out is read, and what isn't text is not."""

import io
import zipfile

import docx
from docx.oxml import parse_xml

from components.converters.docx_document import DocxConverter
from tests.components.converters.company_files import blocks, one, reason, replaced_part

CONVERTER = DocxConverter()
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def saved(file: "docx.document.Document") -> bytes:
    buffer = io.BytesIO()
    file.save(buffer)
    return buffer.getvalue()


def paragraph(inner: str) -> bytes:
    """A file with one paragraph of that XML."""
    file = docx.Document()
    file.element.body.insert(0, parse_xml(f"<w:p {W}>{inner}</w:p>"))
    return saved(file)


def test_headings_lists_tables_and_page_heads() -> None:
    file = docx.Document()
    file.core_properties.author = "田中 美咲"
    file.sections[0].header.paragraphs[0].text = "文書番号 GA-002"
    file.add_heading("文書管理規程", 0)
    file.add_heading("保存", 1)
    file.add_paragraph("十年とする。")
    file.add_heading("例外", 2)
    file.add_paragraph("契約書", style="List Bullet")
    file.add_paragraph("議事録", style="List Number")
    table = file.add_table(2, 2)
    for place, text in enumerate(["文書", "期間", "伝票", "7年"]):
        table.cell(place // 2, place % 2).text = text
    document = one(CONVERTER, saved(file), "a.docx")

    assert (document.meta["title"], document.meta["author"]) == ("文書管理規程", "田中 美咲")
    assert blocks(document) == [
        ("heading", "文書管理規程", []),
        ("text", "文書番号 GA-002", []),
        ("heading", "保存", []),
        ("text", "十年とする。", ["保存"]),
        ("heading", "例外", ["保存"]),
        ("list", "- 契約書\n- 議事録", ["保存", "例外"]),
        ("table", "文書 | 期間\n伝票 | 7年", ["保存", "例外"]),
    ]


def test_inserted_text_is_read_and_deleted_text_is_not() -> None:
    inner = (
        "<w:r><w:t>納期は</w:t></w:r><w:del><w:r><w:delText>六月</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>七月</w:t></w:r></w:ins><w:r><w:t>です。</w:t></w:r>"
    )

    assert one(CONVERTER, paragraph(inner), "a.docx").content == "納期は七月です。"


def test_readings_above_kanji_are_left_out() -> None:
    reading, kanji = "<w:r><w:t>きゅう</w:t></w:r>", "<w:r><w:t>休</w:t></w:r>"
    inner = f"<w:r><w:ruby><w:rt>{reading}</w:rt><w:rubyBase>{kanji}</w:rubyBase></w:ruby></w:r>"

    assert one(CONVERTER, paragraph(inner), "a.docx").content == "休"


def test_a_text_box_is_read_once() -> None:
    box = f"<w:txbxContent {W}><w:p><w:r><w:t>囲みの文。</w:t></w:r></w:p></w:txbxContent>"
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    inner = (
        "<w:r><w:t>本文。</w:t></w:r>"
        f'<w:r><mc:AlternateContent {mc}><mc:Choice Requires="wps">{box}</mc:Choice>'
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>"
    )

    assert one(CONVERTER, paragraph(inner), "a.docx").content == "本文。\n\n囲みの文。"


def test_the_template_of_a_library_says_nothing_about_the_document() -> None:
    file = docx.Document()
    file.add_paragraph("本文。")
    document = one(CONVERTER, saved(file), "memo.docx")

    assert document.meta["title"] == "memo"
    assert not {"author", "updated_at"} & document.meta.keys()


def test_what_cannot_be_read_is_named() -> None:
    whole = saved(docx.Document())

    assert reason(CONVERTER, whole, "a.docx") == "there is no text in it"
    assert reason(CONVERTER, whole[: len(whole) // 2], "a.docx").startswith("the file is damaged")
    assert reason(CONVERTER, replaced_part(whole, "word/document.xml", b"<no"), "a.docx").startswith(
        "the file is damaged"
    )


def test_what_unpacks_to_too_much_is_not_opened(monkeypatch) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(3 << 20))
    monkeypatch.setattr("components.converters.office_package.MAX_UNPACKED_BYTES", 1 << 20)

    assert reason(CONVERTER, buffer.getvalue(), "a.docx") == "it unpacks to more than 1 MiB"
