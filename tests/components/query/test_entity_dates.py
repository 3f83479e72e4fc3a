"""Dates in all their writings."""

from datetime import date

import pytest

from components.analysis.folding import fold
from components.query.entity_dates import find_dates, find_relative_dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-20", ["2026-05-20"]),
        ("2026-05-20T10:00:00Z", ["2026-05-20"]),
        ("2026/5/20と2026.05.20", ["2026-05-20", "2026-05-20"]),
        ("２０２６年５月２０日", ["2026-05-20"]),
        ("2026 年 5 月 20 日(水)", ["2026-05-20"]),
        ("二〇二六年五月二十日", ["2026-05-20"]),
        ("令和8年5月20日、㋿8年5月20日", ["2026-05-20", "2026-05-20"]),
        ("令和八年五月二十日", ["2026-05-20"]),
        ("令和元年5月1日", ["2019-05-01"]),
        ("平成31年4月30日", ["2019-04-30"]),
        ("昭和六十四年一月七日", ["1989-01-07"]),
        ("R8.5.20とH31/4/30", ["2026-05-20", "2019-04-30"]),
        ("2026年5月、2026-05、2026年、令和8年", ["2026-05", "2026-05", "2026", "2026"]),
        ("2026年度と令和8年度", ["FY2026", "FY2026"]),
        ("5月20日から12月まで", ["--05-20", "--12"]),
        ("2月29日", ["--02-29"]),
        ("May 20, 2026; 20 May 2026; 20th of May 2026; May 2026", ["2026-05-20"] * 3 + ["2026-05"]),
        # no dates: impossible days, parts of other numbers, spans of time
        ("2026-13-45、2月30日、2025年2月29日", []),
        ("EV-2024-001、03-1234-5678、192.168.10.20、2026-05-201", []),
        ("3か月間、2年間、1990年代、1.5月、13月", []),
    ],
)
def test_dates(text: str, expected: list[str]) -> None:
    assert [value for _, _, value in find_dates(fold(text).text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一昨日、昨日、今日、本日、明日、明後日", [18, 19, 20, 20, 21, 22]),
        ("3日前と10日後", [17, 30]),
    ],
)
def test_relative_days(text: str, expected: list[int]) -> None:
    found = find_relative_dates(text, date(2026, 5, 20))
    assert [value for _, _, value in found] == [f"2026-05-{day}" for day in expected]


@pytest.mark.parametrize(
    ("text", "today", "expected"),
    [
        ("先週", date(2026, 5, 20), "2026-05-11/2026-05-17"),
        ("今週", date(2026, 5, 18), "2026-05-18/2026-05-24"),
        ("再来週", date(2026, 5, 24), "2026-06-01/2026-06-07"),
        ("2週間前", date(2026, 5, 20), "2026-05-04/2026-05-10"),
        ("先月", date(2026, 1, 31), "2025-12"),
        ("3ヶ月後", date(2026, 11, 1), "2027-02"),
        ("昨年", date(2026, 5, 20), "2025"),
        ("2年前", date(2026, 5, 20), "2024"),
        ("今年度", date(2026, 3, 31), "FY2025"),
        ("今年度", date(2026, 4, 1), "FY2026"),
        ("last week", date(2026, 5, 20), "2026-05-11/2026-05-17"),
        ("yesterday", date(2026, 5, 1), "2026-04-30"),
    ],
)
def test_relative_periods(text: str, today: date, expected: str) -> None:
    assert find_relative_dates(text, today) == [(0, len(text), expected)]
