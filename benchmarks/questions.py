"""Questions to measure times with: real ones where they are there, never the same one twice, because caches know it."""

import json

from benchmarks.bars import SHARED

ENGLISH = (
    "can a claim be rejected for lack of written description when the original claims contain the feature",
    "time for reply to a final rejection",
    "who may sign a terminal disclaimer",
    "unity of invention in the national stage",
    "608.01(o)",
    "35 U.S.C. 112(b) indefinite terms of degree",
    "declaration under 37 CFR 1.131 to antedate a reference",
    "new matter in the drawings",
    "when is an information disclosure statement considered",
    "petition to revive an abandoned application",
)
JAPANESE = (
    "お盆休みはいつからいつまでか",
    "サーバー障害の復旧手順を教えてほしい",
    "EV-2024-001の進捗はどうなっているか",
    "髙橋さんが担当しているプロジェクト",
    "見積書の作成要領と承認者",
    "出張旅費の精算に必要な書類",
    "育児休業の申請の締め切り",
    "2026年5月20日の打ち合わせの議事録",
    "センサー「ミズキ」の価格と納期",
    "ミツハ製作所との取引条件",
)


def questions(dataset: str, own: tuple[str, ...], count: int) -> list[str]:
    """
    Questions of a dataset.

    :param dataset: Its folder below the shared data.
    :param own: What is asked, with a number behind it, where there is no such folder.
    :param count: How many questions.
    :returns: At most so many, all different.
    """
    path = SHARED / "eval" / dataset / "queries.jsonl"
    if not path.is_file():
        return [f"{own[number % len(own)]} ({number})" for number in range(count)]
    with path.open(encoding="utf-8") as file:
        texts = list(dict.fromkeys(json.loads(line)["text"] for line in file))
    return texts[:: max(1, len(texts) // count)][:count]
