"""Finds dates however they are written, and gives each its ISO 8601 form."""

import re
from datetime import date, timedelta

_ERAS = {
    **{"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018},
    **{"m": 1867, "t": 1911, "s": 1925, "h": 1988, "r": 2018},
}
_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            *("january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul"),
            *("august|aug", "september|sept|sep", "october|oct", "november|nov", "december|dec"),
        ),
        start=1,
    )
    for name in names.split("|")
}
_N = r"(?:\d{1,2}|[〇零一二三四五六七八九十]{1,3})"
_YEAR = r"(?:\d{4}|[〇零一二三四五六七八九]{4})"
_ERA = r"明治|大正|昭和|平成|令和"
_MONTH_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_NOT_IN_WORD = r"(?<![a-z0-9.,/-])"
_JAPANESE = re.compile(
    rf"(?<![\d.,/-])(?:(?P<era>{_ERA}) ?(?P<era_year>元|{_N})|(?P<year>{_YEAR})) ?年"
    rf"(?:(?P<fiscal>度)|(?![間代])(?: ?(?P<month>{_N}) ?月(?!間)(?: ?(?P<day>{_N}) ?日(?!間))?)?)"
)
_MONTH_DAY = re.compile(
    rf"(?<![\d.,/〇零一二三四五六七八九十年-])(?<!年 )(?P<month>{_N}) ?月(?!間)(?: ?(?P<day>{_N}) ?日(?!間))?"
)
_ISO = re.compile(
    rf"{_NOT_IN_WORD}(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
    r"(?:t\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})?)?(?![a-z0-9]|[-/.]\d)"
)
_ISO_MONTH = re.compile(rf"{_NOT_IN_WORD}(?P<year>(?:19|20)\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![a-z0-9]|[-/.]\d)")
_ERA_LETTER = re.compile(
    rf"{_NOT_IN_WORD}(?P<era>[mtshr])(?P<era_year>\d{{1,2}})(?P<mark>[./-])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
    r"(?![a-z0-9]|[-/.]\d)"
)
_ENGLISH = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?(?P<name>{_MONTH_NAME})\.?"
    r"(?: (?P<day2>\d{1,2})(?:st|nd|rd|th)?,?)? (?P<year>(?:19|20)\d\d)\b"
)
_FORMS = (_JAPANESE, _ISO, _ERA_LETTER, _ISO_MONTH, _ENGLISH, _MONTH_DAY)
_AGO = re.compile(r"(?<!\d)(?P<count>\d{1,3}) ?(?P<unit>日|週間|[かヶカケ箇]月|年)(?P<side>前|後)(?![半年月])")
_DAYS = {
    **{"一昨日": -2, "おととい": -2, "昨日": -1, "きのう": -1, "今日": 0, "本日": 0, "きょう": 0, "明日": 1, "翌日": 1},
    **{"明後日": 2, "あさって": 2, "yesterday": -1, "today": 0, "tomorrow": 1},
}
_WEEKS = {"先々週": -2, "先週": -1, "今週": 0, "来週": 1, "再来週": 2, "last week": -1, "this week": 0, "next week": 1}
_RELATIVE_MONTHS = {
    **{"先々月": -2, "先月": -1, "今月": 0, "来月": 1, "再来月": 2},
    **{"last month": -1, "this month": 0, "next month": 1},
}
_FISCAL_YEARS = {"一昨年度": -2, "昨年度": -1, "前年度": -1, "今年度": 0, "本年度": 0, "来年度": 1, "翌年度": 1}
_YEARS = {
    **{"一昨年": -2, "おととし": -2, "昨年": -1, "去年": -1, "今年": 0, "本年": 0, "来年": 1, "再来年": 2},
    **{"last year": -1, "this year": 0, "next year": 1},
}
_WORDS = (_DAYS, _WEEKS, _RELATIVE_MONTHS, _FISCAL_YEARS, _YEARS)
_RELATIVE = re.compile(
    "|".join(
        rf"\b{word}\b" if word.isascii() else word
        for word in sorted((w for words in _WORDS for w in words), key=len, reverse=True)
    )
)
_FISCAL_YEAR_STARTS = 4  # in April


def find_dates(text: str) -> list[tuple[int, int, str]]:
    """
    All dates of a folded text that don't depend on today.

    >>> find_dates("令和8年5月20日と2026/5/21")
    [(0, 9, '2026-05-20'), (10, 19, '2026-05-21')]
    >>> find_dates("二〇二六年五月、5月20日、2026年度")
    [(0, 7, '2026-05'), (8, 13, '--05-20'), (14, 20, 'FY2026')]

    :param text: A folded text.
    :returns: Start, end and ISO 8601 form of each, in order: a day, a month, a year, the year from April "FY2026", or a
        day or month of any year, "--05-20" and "--05".
    """
    found: list[tuple[int, int, str]] = []
    for form in _FORMS:
        for match in form.finditer(text):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end, _ in found):
                continue
            if value := _iso(match):
                found.append((start, end, value))
    return sorted(found)


def find_relative_dates(text: str, today: date) -> list[tuple[int, int, str]]:
    """
    All dates of a folded text that are told from today: "yesterday", "last week", "3 days ago".

    >>> find_relative_dates("昨日と先週と3か月前", date(2026, 5, 20))
    [(0, 2, '2026-05-19'), (3, 5, '2026-05-11/2026-05-17'), (6, 10, '2026-02')]

    :param text: A folded text.
    :param today: The day that it is told from.
    :returns: Start, end and ISO 8601 form of each; a week is a period from Monday to Sunday.
    """
    words = ((m.start(), m.end(), _relative(m.group(), today)) for m in _RELATIVE.finditer(text))
    return sorted([*words, *((*m.span(), _ago(m, today)) for m in _AGO.finditer(text))])


def _iso(match: re.Match[str]) -> str:
    groups = match.groupdict()
    year = _year(groups)
    if groups.get("fiscal"):
        return f"FY{year}"
    month = _MONTHS[groups["name"]] if groups.get("name") else _number(groups.get("month"))
    day = _number(groups.get("day") or groups.get("day2"))
    if month == 0 and groups.get("month") is None:
        return f"{year:04}"
    try:
        date(year or 2000, month, day or 1)  # 2000 has a 29 February
    except ValueError:
        return ""
    if year and not 1000 <= year < 2200:
        return ""
    return f"{f'{year:04}' if year else '-'}-{month:02}" + (f"-{day:02}" if day else "")


def _year(groups: dict[str, str | None]) -> int:
    era, text = groups.get("era"), groups.get("year")
    if era:
        return _ERAS[era] + (1 if groups["era_year"] == "元" else _number(groups["era_year"]))
    return int("".join(str(_DIGITS.get(char, char)) for char in text)) if text else 0


def _number(text: str | None) -> int:
    """A number up to 99 in digits or kanji; 0 for none."""
    if not text:
        return 0
    if text.isascii():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS[char]) for char in text))
    return 10 * (_DIGITS.get(tens, 0) if tens else 1) + (_DIGITS.get(ones, 0) if ones else 0)


def _relative(word: str, today: date) -> str:
    if word in _DAYS:
        return (today + timedelta(days=_DAYS[word])).isoformat()
    if word in _WEEKS:
        return _week(today, _WEEKS[word])
    if word in _RELATIVE_MONTHS:
        return _month(today, _RELATIVE_MONTHS[word])
    if word in _FISCAL_YEARS:
        return f"FY{today.year + _FISCAL_YEARS[word] - (today.month < _FISCAL_YEAR_STARTS)}"
    return f"{today.year + _YEARS[word]:04}"


def _ago(match: re.Match[str], today: date) -> str:
    count = int(match["count"]) * (-1 if match["side"] == "前" else 1)
    if match["unit"] == "日":
        return (today + timedelta(days=count)).isoformat()
    if match["unit"] == "週間":
        return _week(today, count)
    return f"{today.year + count:04}" if match["unit"] == "年" else _month(today, count)


def _week(today: date, weeks: int) -> str:
    monday = today + timedelta(days=7 * weeks - today.weekday())
    return f"{monday.isoformat()}/{(monday + timedelta(days=6)).isoformat()}"


def _month(today: date, months: int) -> str:
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    return f"{year:04}-{month + 1:02}"
