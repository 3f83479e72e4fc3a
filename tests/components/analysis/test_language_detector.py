"""Languages by script, on short queries and on real sentences."""

import pytest
from haystack import Document

from components.analysis.language_detector import LanguageDetector, detect_language
from evaluation.datasets import load_dataset
from tests.shared_data import shared_data

QUERIES = {
    "ja": """
        お盆休み 盆休みの予定 夏季休業 サーバー障害 ｻｰﾊﾞ障害 サーバダウン EV-2024-001の進捗
        ＥＶ－２０２４－００１の報告 打合せ ミーティング 打ち合わせの議事録 MTG資料 iPhone修理 PCの入れ替え
        VPNに接続できない 有給休暇の残日数 経費精算 立替金 出張旅費規程 見積書 請求書の送付先 年末調整
        健康診断 育児休業 テレワーク 在宅勤務 リモートワーク 勤怠システム 打刻 給与明細 ボーナス 賞与の査定
        人事評価 異動 退職 採用面接 新入社員研修 社員食堂 駐車場 防災訓練 安否確認 情報漏えい 個人情報
        パスワード再設定 ウイルス対策 メールの遅延 プリンタ コピー機 会議室予約 名刺 印鑑 契約書 秘密保持
        下請法 品質管理 不具合 クレーム リコール 部品表 図面 試作 量産 金型 工場見学 安全衛生 残業 三六協定
        メンタルヘルス ハラスメント相談 コンプライアンス 田中さん 髙橋部長 ㈱ミツハ 株式会社ハルカ商事
        昨日の会議 先週の報告 令和8年5月20日 2026年5月20日 第3四半期 売上 利益率 予算 稟議 承認 決裁 押印
        電子署名 AI活用 DX推進 Excelの使い方 Q&A集 ISO審査 5S活動 KPI設定 BCP計画 GPSの誤差 Wi-Fi不調
        USBメモリの持ち出し 3Dプリンタ IT部門 ﾒﾝﾃﾅﾝｽ 々 データベース バックアップ 議事録 棚卸 検収 納期
        仕入先 与信管理 福利厚生 社用車 名簿 組織図
    """.split(),  # noqa: SIM905
    "en": """
        EV-2024-001 EV-2023-001 BM-200 QMS-12 HR-013 2026-05-20 12345 travel expenses report server outage
        VPN password reset invoice budget sales Q3 ISO9001 USB Wi-Fi iPhone MTG KPI API naïve café résumé
        Müller e-mail re-use 24/7 100% C++ .NET new-hire onboarding holiday schedule minutes agenda contract
        NDA safety recall warranty prototype drawing supplier quote delivery quality audit overtime telework
        payroll bonus transfer parking canteen fire drill printer driver
    """.split(),  # noqa: SIM905
    "ko": """
        특허 검색 전극활물질층 이차전지 2차전지 LED조명 배터리 특허출원 서버장애 회의록 휴가신청 출장비
        견적서 계약서 품질관리 불량 안전 교육 인사평가 급여명세 보너스 ㄱㄴㄷ 반도체장치
    """.split(),  # noqa: SIM905
}
PHRASES = [
    ("MTG 資料", "ja"),
    ("iPhone 修理", "ja"),
    ("the minutes of the 会議 about the new server in the head office building", "mixed"),
    ("한국어 特許", "ko"),
    ("특허 검색 방법 system", "ko"),
    ("", "en"),
    ("!?", "en"),
]


def test_short_queries() -> None:
    cases = [(query, language) for language, queries in QUERIES.items() for query in queries]

    right = sum(detect_language(query) == language for query, language in cases)

    assert len(cases) >= 200
    assert right / len(cases) >= 0.98


@pytest.mark.parametrize(("text", "language"), PHRASES)
def test_phrases(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_real_sentences() -> None:
    folder = shared_data("eval", "ntrex_passages_ja_ko_en")
    if folder:
        queries = [(query.text, query.id[-2:]) for query in load_dataset(folder).queries]
    else:  # the project's own
        queries = [(query, language) for language, found in QUERIES.items() for query in found]

    right = sum(detect_language(text) == language for text, language in queries)

    assert right / len(queries) >= 0.98


def test_component() -> None:
    detector = LanguageDetector()

    assert detector.run(query="お盆休み")["language"] == "ja"
    assert detector.run(query="お盆休み", language="en")["language"] == "en"
    documents = [Document(content="New matter"), Document(content="", meta={"title": "規程"})]
    told = detector.run(documents=[*documents, Document(content="abc", meta={"language": "ko"})])["documents"]
    assert [document.meta["language"] for document in told] == ["en", "ja", "ko"]
    with pytest.raises(ValueError, match="language must be auto, ja, en, ko, mixed, not 'fr'"):
        detector.run(query="x", language="fr")
