"""The sample documents can all be read, and the cases of the evaluation are about them."""

from collections import Counter
from pathlib import Path

import pytest

from evaluation.cases import load_cases
from pipelines.corpora import get_corpus
from pipelines.index_report import IndexReport
from pipelines.indexing import IndexRun
from pipelines.loading import open_store
from pipelines.settings import Settings

SAMPLES = get_corpus("company-docs").samples


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data_dir=tmp_path_factory.mktemp("company"))


@pytest.fixture(scope="module")
def report(settings: Settings) -> IndexReport:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
        return IndexRun(get_corpus("company-docs"), settings, workers=1).run([SAMPLES], vectors=False)


def test_there_are_enough_and_all_can_be_read(report: IndexReport) -> None:
    assert report.failures == []
    assert report.sections >= 150
    kinds = Counter(source.kind for source in report.sources)
    assert set(kinds) == set(get_corpus("company-docs").kinds)


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) < 1_000_000


def test_every_document_has_a_department(report: IndexReport, settings: Settings) -> None:
    store = open_store("parents", "company-docs", settings=settings)
    departments = {document.id: document.meta.get("department") for document in store.filter_documents()}
    store.close()

    assert len(departments) == report.sections
    assert set(departments.values()) == {
        *("営業部", "開発部", "経営企画部", "購買部", "情報システム部", "人事部", "製造部", "総務部", "品質保証部")
    }


def test_the_cases_are_about_them(report: IndexReport, settings: Settings) -> None:
    store = open_store("parents", "company-docs", settings=settings)
    known = {document.id for document in store.filter_documents()}
    store.close()
    cases = load_cases()
    named = {case.ground_truth_doc_id for case in cases.variations}
    for case in cases.entities:
        named.update(case.ground_truth_doc_ids, case.should_not_match)

    assert len(cases.variations) >= 20
    assert len(cases.entities) >= 40
    assert named <= known


def test_paths_are_the_same_on_every_file_system() -> None:
    import unicodedata

    names = [str(path.relative_to(SAMPLES)) for path in SAMPLES.rglob("*")]

    assert all(unicodedata.normalize("NFD", name) == name for name in names)
    assert Path(SAMPLES, "人事部").is_dir()
