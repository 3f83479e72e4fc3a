import io
from concurrent.futures import ThreadPoolExecutor

import pypdfium2 as pdfium
import pytest
from haystack.dataclasses import ByteStream

from components.converters.mpep_pdf import MpepPdfConverter
from components.converters.pdf_reading import UnreadablePdfError, read_pages

TEXT = b"BT /F1 12 Tf 72 700 Td (2106 Eligibility of the claimed subject matter) Tj ET"
TURNED = b"BT /F1 12 Tf 0 1 -1 0 100 72 Tm (2106 Eligibility of the claimed subject matter) Tj ET"
STAMP = b"BT /F1 12 Tf 72 700 Td (COPY) Tj ET"


def pdf(content: bytes, *, page: bytes = b"", trailer: bytes = b"", more: tuple[bytes, ...] = ()) -> bytes:
    """A PDF of one page, written by hand."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        + page
        # A trailing blank keeps the names apart.
        + b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Bold >>",
        *more,
    ]
    data = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    size = b"<< /Size %d /Root 1 0 R %s >>" % (len(objects) + 1, trailer)
    return data + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (size, start)


def encrypted() -> bytes:
    """Its keys fit no password that anyone knows, least of all the empty one."""
    rule = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"ab" * 32, b"cd" * 32)
    return pdf(TEXT, trailer=b"/Encrypt 6 0 R /ID [<00><00>]", more=(rule,))


def no_pages() -> bytes:
    buffer = io.BytesIO()
    pdfium.PdfDocument.new().save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"<html><body>Not found</body></html>", "not a PDF file"),
        (pdf(TEXT)[:-60], "the PDF is cut off"),
        (pdf(TEXT)[:200], "the PDF is cut off"),
        (b"%PDF-1.7\nnothing of a PDF\n%%EOF\n", "the PDF is damaged"),
        (no_pages(), "damaged or has no pages"),
        (encrypted(), "the PDF is encrypted and needs a password"),
        (pdf(b"0 0 m 100 100 l S"), "no text layer"),
        (pdf(STAMP), "no text layer"),
    ],
)
def test_unreadable_files_say_why(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadablePdfError, match=reason):
        read_pages(data)


def test_one_unreadable_file_stops_no_other() -> None:
    sources = [
        ByteStream(encrypted(), meta={"origin": "secret.pdf", "file": "secret.pdf"}),
        ByteStream(pdf(TEXT.replace(b"matter", b"matter [R-07.2015]")), meta={"origin": "a.pdf", "file": "a.pdf"}),
        ByteStream(b"", meta={"origin": "empty.pdf", "file": "empty.pdf"}),
        ByteStream(pdf(TEXT.replace(b"2106 ", b"A letter about ")), meta={"origin": "b.pdf", "file": "b.pdf"}),
    ]
    result = MpepPdfConverter().run(sources=sources)
    assert [(d.id, d.content) for d in result["documents"]] == [
        ("MPEP-2106", "2106 Eligibility of the claimed subject matter")
    ]
    assert [failure["origin"] for failure in result["failures"]] == ["secret.pdf", "empty.pdf", "b.pdf"]
    assert result["failures"][2]["reason"].startswith("no MPEP section heading found")


def test_words_have_their_place_and_type() -> None:
    (page,) = read_pages(pdf(TEXT))
    first = page.words[0]
    assert (page.number, page.width, page.height) == (1, 612, 792)
    assert (first.text, first.size, first.bold, first.italic) == ("2106", 12.0, True, False)
    assert first.x0 == pytest.approx(72, abs=0.1)
    assert first.x1 == pytest.approx(96, abs=0.1)
    assert first.top < 92 < first.bottom


@pytest.mark.parametrize(
    ("content", "page", "count"),
    [
        (TEXT, b"/Rotate 0", 7),
        # Drawn sideways and turned upright by the page: a table across a wide page.
        (TURNED, b"/Rotate 90", 7),
        (TEXT, b"/CropBox [50 50 560 740]", 7),
    ],
)
def test_what_a_reader_sees_upright_is_read(content: bytes, page: bytes, count: int) -> None:
    (found,) = read_pages(pdf(content, page=page))
    assert [word.text for word in found.words][:3] == ["2106", "Eligibility", "of"]
    assert len(found.words) == count
    tops = {round(word.top) for word in found.words}
    assert len(tops) == 1
    assert all(before.x1 < word.x0 for before, word in zip(found.words, found.words[1:], strict=False))
    assert all(word.x0 >= 0 and word.x1 <= found.width and 0 <= word.top <= found.height for word in found.words)


def test_text_along_the_margin_is_left_out() -> None:
    (page,) = read_pages(pdf(TEXT + b"\n" + TURNED))
    assert len(page.words) == 7


def test_threads_take_turns() -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(read_pages, [pdf(TEXT)] * 16))
    assert [len(pages[0].words) for pages in results] == [7] * 16
