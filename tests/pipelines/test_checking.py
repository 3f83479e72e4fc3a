"""Every file in tests/broken_pipelines is refused with the message in its first line; our own are accepted."""

import sys
from pathlib import Path

import pytest

from pipelines.checking import Problem, check_all, check_pipeline
from pipelines.errors import ConfigError
from pipelines.settings import Settings

BROKEN = sorted((Path(__file__).parents[1] / "broken_pipelines").glob("*.yaml"))


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_pipeline_is_refused_with_its_message(path: Path) -> None:
    expected = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# expected: ")

    problems = check_pipeline(str(path), profile="embedded")

    assert [str(problem) for problem in problems] == [f"{path}:{expected}"]


def test_the_projects_own_pipelines_have_no_problems() -> None:
    assert check_all([], profile="embedded") == []


def test_a_ranker_of_an_extra_that_is_not_installed_is_told_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "haystack_integrations.components.rankers.sentence_transformers", None)

    problems = check_pipeline("mpep_query", profile="cluster")

    [problem] = [problem for problem in problems if problem.component == "reranker"]
    assert problem.message == "SentenceTransformersSimilarityRanker needs a package that isn't installed"
    assert "pip install -c constraints.txt -e '.[models]'" in problem.instead
    assert "`reranker: null`" in problem.instead


def test_all_problems_of_a_file_are_reported_in_order_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(
        "corpus: us-patent-law\n"
        "components:\n"
        "  a: {type: components.splitters.section_splitter.SectionSplitter, init_parameters: {max: 1}}\n"
        "  b: {type: components.splitters.section_splitter.SectionSplitter, init_parameters: {min: 1}}\n"
        "connections: []\n"
    )

    problems = check_pipeline(str(path), profile="embedded")

    assert [(problem.line, problem.component) for problem in problems] == [(3, "a"), (4, "b")]


def test_a_value_that_the_pipeline_is_given_anyway_may_stay_unconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "two_steps.py").write_text(
        "from haystack import component\n"
        "@component\n"
        "class First:\n"
        "    @component.output_types(score=float)\n"
        "    def run(self, query: str):\n"
        "        return {'score': 1.0}\n"
        "@component\n"
        "class Second:\n"
        "    @component.output_types(score=float)\n"
        "    def run(self, query: str, score: float, limit: int):\n"
        "        return {'score': score}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "shared_query.yaml"
    path.write_text(
        "corpus: us-patent-law\n"
        "components: {first: {type: two_steps.First}, second: {type: two_steps.Second}}\n"
        "connections: [{sender: first.score, receiver: second.score}]\n"
    )

    problems = check_pipeline(str(path), profile="embedded")

    assert [problem.message for problem in problems] == ["input 'limit' must be given and nothing is connected to it"]


def test_a_missing_file_names_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r"there is no pipeline 'mpep'; there are: .*mpep_indexing"):
        check_pipeline("mpep")


def test_a_missing_profile_names_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r"there is no profile 'laptop'; there are: .*embedded"):
        check_pipeline("mpep_indexing", profile="laptop")


def test_a_folder_without_pipelines_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there are no pipeline files"):
        check_all([], settings=Settings(pipelines_dir=tmp_path))


@pytest.mark.parametrize(
    ("problem", "shown"),
    [
        (Problem("a.yaml", 3, "splitter", "is wrong", "write b"), "a.yaml:3: splitter: is wrong; write b"),
        (Problem("a.yaml", 1, "", "is wrong"), "a.yaml:1: is wrong"),
    ],
)
def test_problem_as_one_line(problem: Problem, shown: str) -> None:
    assert str(problem) == shown
