"""Mails: head lines in all encodings, parts, attachments, quotations."""

import base64
from email.message import EmailMessage

from components.converters.email_document import EmailConverter
from tests.components.converters.company_files import convert, one

CONVERTER = EmailConverter()


def mail(body: str = "本文です。", **headers: str) -> EmailMessage:
    message = EmailMessage()
    fields = {"From": "田中 一郎 <i@a.example>", "To": "<b@a.example>", "Date": "Thu, 04 Jun 2026 09:12:00 +0900"}
    for name, value in {**fields, "Subject": "納期の件", **headers}.items():
        message[name] = value
    message.set_content(body)
    return message


def test_head_lines_and_text() -> None:
    document = one(CONVERTER, mail(To="髙橋 健 <t@a.example>, b@a.example").as_bytes(), "a.eml")

    assert document.content == (
        "納期の件\n\n差出人: 田中 一郎 <i@a.example>\n宛先: 髙橋 健, b@a.example\n日時: 2026-06-04 09:12\n\n本文です。"
    )
    assert (document.meta["title"], document.meta["author"], document.meta["updated_at"]) == (
        "納期の件",
        "田中 一郎",
        "2026-06-04T09:12:00+09:00",
    )


def test_old_mails_in_iso_2022_jp_and_heads_without_a_declared_encoding() -> None:
    raw = b"From: x@a.example\nSubject: %s\nContent-Type: text/plain; charset=iso-2022-jp\n\n%s" % (
        "障害の報告".encode(),
        "サーバー障害です。".encode("iso2022_jp"),
    )
    document = one(CONVERTER, raw, "a.eml")

    assert document.meta["title"] == "障害の報告"
    assert (document.content or "").endswith("サーバー障害です。")


def test_a_wrong_charset_does_not_garble_the_text() -> None:
    raw = b"Subject: a\nContent-Type: text/plain; charset=utf-8\n\n" + "本日は休業します。".encode("cp932")

    assert (one(CONVERTER, raw, "a.eml").content or "").endswith("本日は休業します。")


def test_plain_text_is_read_rather_than_html_and_html_where_it_is_alone() -> None:
    both = mail("平文です。")
    both.add_alternative("<p>HTMLです。</p>", subtype="html")
    alone = mail()
    alone.set_content("<table><tr><td>日<td>人<tr><td>1<td>2</table>", subtype="html")

    assert (one(CONVERTER, both.as_bytes(), "a.eml").content or "").endswith("平文です。")
    assert (one(CONVERTER, alone.as_bytes(), "a.eml").content or "").endswith("日 | 人\n1 | 2")


def test_attached_files_with_text_are_documents_of_their_own() -> None:
    message = mail("添付します。")
    files = [
        ("備品.csv", "品名,数量\n端子台,3\n".encode("cp932")),
        ("備品.csv", "品名,数量\nケーブル,5\n".encode()),
        ("logo.png", b"\x89PNG\r\n\x1a\n"),
        ("broken.pdf", b"%PDF-1.4 nothing"),
        ("all.zip", b"PK\x03\x04"),
    ]
    for name, data in files:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    result = convert(CONVERTER, message.as_bytes(), "a.eml", kind="email", sidecar="access_groups: [役員]")

    outer, first, second = result["documents"]
    assert [document.id for document in (outer, first, second)] == [
        "docs/a.eml",
        "docs/a.eml!備品.csv",
        "docs/a.eml!備品.csv (2)",
    ]
    assert (first.content, second.content) == ("品名 | 数量\n端子台 | 3", "品名 | 数量\nケーブル | 5")
    names = ("title", "kind_of_source", "attached_to", "origin", "author", "sidecar")
    assert [first.meta[name] for name in names] == [
        *("備品", "csv", "docs/a.eml", "docs/a.eml", "田中 一郎", "access_groups: [役員]")
    ]
    assert outer.meta["attachments"] == ["備品.csv", "備品.csv", "logo.png", "broken.pdf", "all.zip"]
    (failure,) = result["failures"]
    assert failure["origin"] == "docs/a.eml"
    assert failure["reason"].startswith("the attached file 'broken.pdf': the PDF is cut off")


def test_attachments_are_named_and_forwarded_mails_read() -> None:
    outer = mail("転送します。", Subject="転送")
    outer.add_attachment(b"\x00", maintype="application", subtype="octet-stream", filename="評価票.xlsx")
    outer.add_attachment(mail("元の文です。", Subject="元の件"))
    document = one(CONVERTER, outer.as_bytes(), "a.eml")

    assert document.meta["attachments"] == ["評価票.xlsx"]
    assert "添付: 評価票.xlsx" in (document.content or "")
    assert (document.content or "").endswith("元の文です。")


def test_what_an_answer_repeats_is_left_out_unless_it_is_all() -> None:
    assert (one(CONVERTER, mail("了解です。\n> 前の文\n").as_bytes(), "a.eml").content or "").endswith("了解です。")
    assert (one(CONVERTER, mail("> 前の文\n").as_bytes(), "a.eml").content or "").endswith("> 前の文")


def test_characters_of_windows_in_head_lines_and_names() -> None:
    def word(content: bytes, charset: bytes) -> bytes:
        return b"=?%s?B?%s?=" % (charset, base64.b64encode(content))

    raw = b"\n".join(
        [
            b"From: " + word("髙橋 健①".encode("cp932"), b"shift_jis") + b" <t@a.example>",
            b"To: " + word("㈱ミツハ".encode("cp932"), b"Shift_JIS") + b" <m@a.example>, b@a.example",
            # A line may be folded between encoded words.
            b"Subject: " + word(b"\x1b$B-!\x1b(B", b"iso-2022-jp") + b"\n " + word("納期".encode(), b"utf-8"),
            b"Date: some day",
            b'Content-Type: multipart/mixed; boundary="x"',
            b"",
            b"--x\nContent-Type: text/plain; charset=shift_jis\n",
            "①本文です。".encode("cp932"),
            b"--x\nContent-Type: application/octet-stream",
            b'Content-Disposition: attachment; filename="' + word("㈱一覧.xlsx".encode("cp932"), b"shift_jis") + b'"\n',
            b"\0\n--x--\n",
        ]
    )
    document = one(CONVERTER, raw, "a.eml")

    assert document.content == (
        "①納期\n\n差出人: 髙橋 健① <t@a.example>\n宛先: ㈱ミツハ, b@a.example\n添付: ㈱一覧.xlsx\n\n①本文です。"
    )
    assert (document.meta["author"], document.meta["attachments"]) == ("髙橋 健①", ["㈱一覧.xlsx"])
    assert "updated_at" not in document.meta
