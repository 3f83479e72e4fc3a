"""Makes small PDFs with Japanese text, in a font that every viewer knows and none has to embed."""

from collections.abc import Sequence

_MARGIN, _TOP, _FONT = 60, 780, "F1"


def japanese_pdf(pages: Sequence[Sequence[tuple[int, str]]], leading: float = 1.6) -> bytes:
    """
    Lay out lines of text, one below the other.

    :param pages: For each page its lines: font size in points, and the text; an empty text leaves a gap.
    :param leading: Distance between lines, in font sizes.
    :returns: The PDF.
    """
    numbers = [6 + 2 * index for index in range(len(pages))]
    objects: dict[int, bytes] = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{n} 0 R' for n in numbers)}] >>".encode(),
        3: b"<< /Type /Font /Subtype /Type0 /BaseFont /KozMinPro-Regular-Acro /Encoding /UniJIS-UTF16-H"
        b" /DescendantFonts [4 0 R] >>",
        4: b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /KozMinPro-Regular-Acro /DW 1000"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 6 >> /FontDescriptor 5 0 R >>",
        5: b"<< /Type /FontDescriptor /FontName /KozMinPro-Regular-Acro /Flags 6 /FontBBox [-195 -272 1110 1075]"
        b" /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 740 /StemV 86 >>",
    }
    for number, lines in zip(numbers, pages, strict=True):
        content = _content(lines, leading)
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R"
            f" /Resources << /Font << /{_FONT} 3 0 R >> >> >>"
        ).encode()
        objects[number + 1] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
    return _file(objects)


def _content(lines: Sequence[tuple[int, str]], leading: float) -> bytes:
    parts = []
    y = float(_TOP)
    for size, text in lines:
        y -= size * leading
        if text:
            encoded = text.encode("utf-16-be").hex()
            parts.append(f"BT /{_FONT} {size} Tf 1 0 0 1 {_MARGIN} {y:.1f} Tm <{encoded}> Tj ET")
    return "\n".join(parts).encode()


def _file(objects: dict[int, bytes]) -> bytes:
    data = b"%PDF-1.5\n"
    offsets = {}
    for number, content in sorted(objects.items()):
        offsets[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offsets[number] for number in sorted(offsets))
    return data + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
