from haystack.dataclasses import ByteStream

from components.converters.mpep_pdf import MpepPdfConverter
from tests.print_pdf import print_pdf

CSS = """
@page { size: letter; margin: 20mm 15mm;
  @top-left { content: "8" counter(page); }
  @top-center { content: "Federal Register / Vol. 95, No. 30 / Tuesday, February 12, 2030 / Notices"; } }
html { font: 8pt/1.2 "Liberation Serif", "Times New Roman", serif; }
body { margin: 0; columns: 3; column-gap: 5mm; text-align: justify; }
"""
TEXT = """The Office has read the comments that it received and looked at its own practice, and it changes the way in
which examiners read claims and weigh the replies that applicants make to their actions."""
PARTS = "".join(f"<h2>Part {part} of the Guidance</h2>" + 5 * f"<p>{TEXT}</p>" for part in "ABCDEFGH")
NOTICE = f"""
<p>The end of another notice.</p><p>[FR Doc. 2030-01111 Filed 2-11-30; 8:45 am]</p><p>BILLING CODE 3510-16-P</p>
<p><b>DEPARTMENT OF COMMERCE</b></p><p><b>Patent and Trademark Office</b></p><p>[Docket No. PTO-P-2030-0001]</p>
<p><b>Guidance on Reading Claims With Functional Language</b></p>
<p><b>AGENCY:</b> Patent and Trademark Office.</p><p><b>ACTION:</b> Notice.</p>
<p><b>DATES:</b> This guidance is effective on March 15, 2030.</p>
{PARTS}
<p>[FR Doc. 2030–02222 Filed 2–11–30; 8:45 am]</p>
"""


def convert(body: str) -> dict:
    source = ByteStream(print_pdf(body, CSS), meta={"origin": "fr.pdf", "file": "fr.pdf"})
    return MpepPdfConverter().run(sources=[source])


def test_a_federal_register_document_in_three_columns_is_one_record() -> None:
    result = convert(NOTICE)
    assert result["failures"] == []
    (record,) = result["documents"]
    assert record.id == "FR-2030-02222"
    expected = {
        "source": "SUBSEQUENT",
        "section": "2030-02222",
        "title": "Guidance on Reading Claims With Functional Language",
        "number_label": "2030-02222",
        "doc_type": "Notice",
        "fr_citation": "95 FR 81",
        "effective_date": "2030-03-15",
        "publication_date": "2030-02-12",
        "is_update": True,
        "precedence": 10,
    }
    assert {name: record.meta[name] for name in expected} == expected
    assert record.content.startswith("DEPARTMENT OF COMMERCE\n\nPatent and Trademark Office\n\n[Docket No.")
    assert "another notice" not in record.content
    assert "Federal Register / Vol." not in record.content
    assert record.content.count(" ".join(TEXT.split())) == 40
    headings = [record.content[b["start"] : b["end"]] for b in record.meta["blocks"] if b["kind"] == "heading"]
    assert headings[-8:] == [f"Part {part} of the Guidance" for part in "ABCDEFGH"]
    assert record.meta["blocks"][-2]["headings"] == ["Part H of the Guidance"]


def test_any_other_pdf_is_a_failure() -> None:
    result = convert(f"<h1>Annual report 2030</h1>{PARTS}<h2>101 Ways to File a Claim</h2><p>{TEXT}</p>")
    assert result["documents"] == []
    assert result["failures"] == [
        {"origin": "fr.pdf", "reason": "no MPEP section heading found, and no Federal Register document number"}
    ]
