import pytest

from components.converters.record import RecordText, clean, heading_case, make_record


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a\n\t claim ", "a claim"),
        ("non\u00adobvious", "nonobvious"),
        ("35\u00a0U.S.C.\u2009112", "35 U.S.C. 112"),
        ("", ""),
    ],
)
def test_clean(text, expected):
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CHAPTER 10—GRANT OF PATENTS", "Chapter 10—Grant of Patents"),
        ("SUBCHAPTER A—GENERAL", "Subchapter A—General"),
        ("PART IV—THE TREATY", "Part IV—The Treaty"),
        ("FILING OF A CLAIM", "Filing of a Claim"),
        ("The Applicant’s Duty", "The Applicant’s Duty"),
    ],
)
def test_heading_case(text, expected):
    assert heading_case(text) == expected


def test_blocks_point_into_the_content():
    text = RecordText()
    text.add("One.", headings=["I."])
    text.add("")
    text.add("(a) Two.", "list", label="(a)", anchor="x", page=3)
    assert text.content == "One.\n\n(a) Two."
    assert [text.content[b["start"] : b["end"]] for b in text.blocks] == ["One.", "(a) Two."]
    assert text.blocks[1] == {
        "start": 6,
        "end": 14,
        "kind": "list",
        "headings": [],
        "anchor": "x",
        "page": 3,
        "label": "(a)",
    }


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind 'prose' is not one of text, heading"):
        RecordText().add("x", "prose")


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("35_USC", (True, False, False)),
        ("37_CFR", (False, True, False)),
        ("SUBSEQUENT", (False, False, True)),
        ("MPEP", (False, False, False)),
    ],
)
def test_record_flags_follow_the_source(source, flags):
    record = make_record("X-1", RecordText(), {"source": source})
    assert (record.meta["is_statute"], record.meta["is_regulation"], record.meta["is_update"]) == flags
    assert record.id == record.meta["source_id"] == "X-1"
    assert record.meta["effective"] == [] and record.meta["pre_aia"] is False
