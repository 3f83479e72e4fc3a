"""What a text names: an entity, and the one spelling that all spellings of it are compared by."""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

from components.analysis.folding import fold

PROJECT_ID, PRODUCT, PERSON, ORG, DATE = "PROJECT_ID", "PRODUCT", "PERSON", "ORG", "DATE"
DOCUMENT_ID, EMAIL = "DOCUMENT_ID", "EMAIL"
IDENTIFIERS = (PROJECT_ID, DOCUMENT_ID, EMAIL)
ENTITY_TYPES = (PROJECT_ID, PRODUCT, PERSON, ORG, DATE, DOCUMENT_ID, EMAIL)

# Characters of names that are written in several ways: the common one, then those that it stands for.
_VARIANTS = (
    "高髙 崎﨑嵜碕 斎齋斉齊 辺邊邉 沢澤 浜濱濵 島嶋嶌 桜櫻 国國 広廣 真眞 恵惠 徳德 蔵藏 竜龍 瀬瀨 増增 関關 "
    "富冨 条條 栄榮 淵渕 円圓 静靜 滝瀧 柳栁 吉𠮷 曽曾 遥遙 晃晄 礼禮 亀龜 桧檜 峰峯 豊豐 薮藪 万萬 与與 寿壽 実實 弥彌"
)
NAME_VARIANTS = {ord(variant): group[0] for group in _VARIANTS.split() for variant in group[1:]}
"""For `str.translate`; lengths stay the same."""

_LEGAL_FORM = re.compile(
    r"(?:株式|有限|合同|合資|合名)会社|\((?:株|有|同|資|名)\)"
    r"|(?:[\s,]+(?:inc|ltd|llc|corp|corporation|co|gmbh|ag|as|sa|plc|k\.?k)\b\.?)+$"
)
_CJK = r"[々〇ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿]"
_BLANK_IN_CJK = re.compile(rf"(?<={_CJK}) +(?={_CJK})")
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_MOST_DAYS = 31


@dataclass(frozen=True, slots=True)
class Entity:
    """
    Something that a text names.

    :param text: As it stands in the text.
    :param type: One of `ENTITY_TYPES`.
    :param start: First character in the original text.
    :param end: One past the last character.
    :param value: The spelling that it is compared by, see `normalized_value`.
    :param score: How sure it is, 0 to 1.
    :param source: What found it: "rule", "vocabulary", "name" (the dictionary's names) or "model".
    :param family_name: Of a person's full name the value of the family name, where it is known.
    """

    text: str
    type: str
    start: int
    end: int
    value: str
    score: float = 1.0
    source: str = "rule"
    family_name: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The entity as a component's output: all but the family name."""
        fields = asdict(self)
        del fields["family_name"]
        return fields


def normalized_value(type_: str, text: str) -> str:
    """
    The one spelling of a name, of whatever type but DATE, whose values are ISO 8601.

    Width, dashes and case are folded. Persons' names lose blanks between kanji and get common kanji, those of companies
    lose their legal form.

    >>> normalized_value("PERSON", "髙橋　健"), normalized_value("ORG", "㈱ミツハ製作所")
    ('高橋健', 'ミツハ製作所')
    >>> normalized_value("PROJECT_ID", "ｅｖ‐２０２４‐００１"), normalized_value("ORG", "Nordlys Energy AS")
    ('EV-2024-001', 'nordlys energy')

    :param type_: The entity's type.
    :param text: The name.
    :returns: The spelling.
    """
    folded = " ".join(fold(text).text.split())
    return _NORMALIZERS.get(type_, _plain)(folded)


def _plain(folded: str) -> str:
    return folded


def _identifier(folded: str) -> str:
    return folded.upper().replace(" ", "")


def _person(folded: str) -> str:
    return _BLANK_IN_CJK.sub("", folded.translate(NAME_VARIANTS))


def _organization(folded: str) -> str:
    name = " ".join(_LEGAL_FORM.sub(" ", folded.translate(NAME_VARIANTS)).split()).strip(" ,")
    return _BLANK_IN_CJK.sub("", name) or folded


_NORMALIZERS: dict[str, Callable[[str], str]] = {
    PROJECT_ID: _identifier,
    DOCUMENT_ID: _identifier,
    PRODUCT: _identifier,
    PERSON: _person,
    ORG: _organization,
}


def held_names(entity: Entity) -> list[str]:
    """
    Under which names a chunk that holds an entity is found, as `meta["entities"]` keeps them.

    A day is found by its month and year, too, and by both without the year; a full name by the family name.

    >>> held_names(Entity("5/20", "DATE", 0, 4, "2026-05-20"))
    ['DATE:2026-05-20', 'DATE:2026-05', 'DATE:2026', 'DATE:--05-20', 'DATE:--05']

    :param entity: The entity.
    :returns: "TYPE:value" strings.
    """
    values = [entity.value, entity.family_name] if entity.family_name else [entity.value]
    if entity.type == DATE and re.match(r"\d{4}-\d\d", entity.value) and "/" not in entity.value:
        year, month, *day = entity.value.split("-")
        values = ["-".join([year, month, *day]), f"{year}-{month}", year]
        values += [f"--{month}-{day[0]}", f"--{month}"] if day else [f"--{month}"]
    return [f"{entity.type}:{value}" for value in dict.fromkeys(values)]


def asked_names(type_: str, value: str) -> list[str]:
    """
    What a chunk must hold one of, in `meta["entities"]`, to hold an entity of a query.

    >>> asked_names("DATE", "2026-05-30/2026-06-01")
    ['DATE:2026-05-30', 'DATE:2026-05-31', 'DATE:2026-06-01']

    :param type_: The entity's type.
    :param value: Its value; a period of time has the days of it, 31 at most.
    :returns: "TYPE:value" strings.
    """
    first, _, last = value.partition("/")
    if type_ == DATE and last and _DAY.fullmatch(first) and _DAY.fullmatch(last):
        start, end = date.fromisoformat(first), date.fromisoformat(last)
        days = min((end - start).days + 1, _MOST_DAYS)
        return [f"{type_}:{(start + timedelta(days=offset)).isoformat()}" for offset in range(days)]
    return [f"{type_}:{value}"]
