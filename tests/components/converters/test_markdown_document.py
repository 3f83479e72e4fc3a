"""Markdown: headings, soft breaks, lists, tables, code, front matter."""

import pytest

from components.converters.markdown_document import MarkdownConverter
from tests.components.converters.company_files import blocks, one, reason

CONVERTER = MarkdownConverter()

PAGE = """\
# 休暇規程

前文の
続き。An English
line.

## 特別休暇

- 夏季
  - 半日も可
1. 申請
2. 承認

| 種別 | 日数 |
|------|-----:|
| 夏季<br>休暇 | 5 |
| 慶弔 |  |

### 細則

**太字**と[リンク](http://example.com)と`code`。<br>次の行

```
x = 1
```

> 引用文。
"""


def test_all_blocks() -> None:
    document = one(CONVERTER, PAGE.encode(), "leave.md")

    assert document.meta["title"] == "休暇規程"
    assert blocks(document) == [
        ("heading", "休暇規程", []),
        ("text", "前文の続き。An English line.", []),
        ("heading", "特別休暇", []),
        ("list", "- 夏季\n- 半日も可", ["特別休暇"]),
        ("list", "1. 申請\n2. 承認", ["特別休暇"]),
        ("table", "種別 | 日数\n夏季 休暇 | 5\n慶弔", ["特別休暇"]),
        ("heading", "細則", ["特別休暇"]),
        ("text", "太字とリンクとcode。\n次の行", ["特別休暇", "細則"]),
        ("text", "x = 1", ["特別休暇", "細則"]),
        ("text", "引用文。", ["特別休暇", "細則"]),
    ]


def test_front_matter_is_metadata() -> None:
    page = "---\ntitle: 別の題\nproject_id: ev-2024-001\nupdated_at: 2026-05-20\n---\n# 題\n\n本文。"
    document = one(CONVERTER, page.encode("utf-8-sig"), "a.md")

    assert (document.meta["title"], document.meta["project_id"], document.meta["updated_at"]) == (
        "別の題",
        "EV-2024-001",
        "2026-05-20",
    )
    assert document.content == "題\n\n本文。"


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("---\nupdated_at: いつか\n---\n本文。", "front matter can't be used: line 1: 'updated_at' must be a date"),
        ("---\na: [\n---\n本文。", "front matter can't be used: line 2: not valid YAML"),
        ("", "there is no text in it"),
        ("---\ntitle: 題\n---\n", "there is no text in it"),
    ],
)
def test_what_cannot_be_used_is_named(page: str, message: str) -> None:
    assert message in reason(CONVERTER, page.encode(), "a.md")


def test_a_rule_is_no_front_matter() -> None:
    assert one(CONVERTER, "本文。\n\n---\n\n続き。".encode(), "a.md").content == "本文。\n\n続き。"
