"""What the deployment files name is there: routes, options, settings, folders."""

import shlex
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from cli.main import app
from pipelines.settings import Settings
from pipelines.shards import Shard
from service.access import OPEN_PATHS, SEARCH_PATHS
from service.settings import ServiceSettings
from tests.conftest import PROJECT

COMPOSE = yaml.safe_load((PROJECT / "deploy/compose.yaml").read_text(encoding="utf-8"))
KUBERNETES: dict[str, Any] = {
    document["kind"]: document
    for document in yaml.safe_load_all((PROJECT / "deploy/kubernetes.yaml").read_text(encoding="utf-8"))
}
CONTAINERFILE = (PROJECT / "deploy/Containerfile").read_text(encoding="utf-8")


def container(kind: str) -> dict[str, Any]:
    """The only container of a deployment or a job."""
    [found] = KUBERNETES[kind]["spec"]["template"]["spec"]["containers"]
    return found


def arguments_of(instruction: str) -> list[str]:
    """The list behind a container file's instruction, the last one of its kind."""
    lines = [line for line in CONTAINERFILE.splitlines() if line.startswith(f"{instruction} [")]
    return yaml.safe_load(lines[-1].partition(" ")[2])


@pytest.mark.parametrize("service", COMPOSE["services"])
def test_each_service_has_a_health_check_and_a_named_volume(service: str) -> None:
    spec = COMPOSE["services"][service]
    assert spec["healthcheck"]["test"]
    assert [volume.partition(":")[0] in COMPOSE["volumes"] for volume in spec["volumes"]] == [True]


def test_tansaku_waits_for_its_servers_and_is_reached_from_this_machine_alone() -> None:
    tansaku = COMPOSE["services"]["tansaku"]
    assert tansaku["depends_on"].keys() == COMPOSE["services"].keys() - {"tansaku"}
    assert [service for service, spec in COMPOSE["services"].items() if "ports" in spec] == ["tansaku"]
    assert all(port.startswith("127.0.0.1:") for port in tansaku["ports"])


def test_settings_and_profile_exist() -> None:
    known = {f"TANSAKU_{name}".upper() for name in {*Settings.model_fields, *ServiceSettings.model_fields}}
    given = {*COMPOSE["services"]["tansaku"]["environment"], *KUBERNETES["ConfigMap"]["data"]}
    given |= {word.partition("=")[0] for word in CONTAINERFILE.split() if word.startswith("TANSAKU_")}
    assert {name for name in given if name.startswith("TANSAKU_")} <= known
    profile = (PROJECT / "pipelines/yaml/profiles/cluster.yaml").read_text(encoding="utf-8")
    servers = [name for name in COMPOSE["services"]["tansaku"]["environment"] if not name.startswith("TANSAKU_")]
    assert [name for name in servers if f"[{name}]" not in profile] == []


@pytest.mark.parametrize(
    "command", [arguments_of("CMD"), container("Deployment")["args"], container("Job")["args"]], ids=shlex.join
)
def test_commands_can_be_parsed(command: list[str]) -> None:
    # Unknown options are told before help is.
    assert CliRunner().invoke(app, [*command, "--help"]).exit_code == 0
    assert CliRunner().invoke(app, [*command, "--no-such-option", "--help"]).exit_code == 2


def test_each_worker_of_the_job_indexes_its_part() -> None:
    job = KUBERNETES["Job"]["spec"]
    part = container("Job")["args"][-1]
    shards = [Shard.read(part.replace("$(JOB_COMPLETION_INDEX)", str(index))) for index in range(job["completions"])]
    assert job["completionMode"] == "Indexed"
    assert {(shard.number, shard.count) for shard in shards} == {(number, 4) for number in range(4)}


def test_probes_ask_routes_that_are_there() -> None:
    spec = container("Deployment")
    open_probes = {spec[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe")}
    assert open_probes <= OPEN_PATHS
    assert "http://127.0.0.1:1416/health" in spec["readinessProbe"]["exec"]["command"][-1]
    assert "/health" in SEARCH_PATHS
    compile(spec["readinessProbe"]["exec"]["command"][-1], "probe", "exec")


@pytest.mark.parametrize("kind", ["Deployment", "Job"])
def test_nothing_runs_as_root(kind: str) -> None:
    security = KUBERNETES[kind]["spec"]["template"]["spec"]["securityContext"]
    assert (security["runAsNonRoot"], f"USER {security['runAsUser']}" in CONTAINERFILE) == (True, True)


def test_the_last_image_has_no_compiler_and_all_folders_that_are_read() -> None:
    build, last = CONTAINERFILE.split("\nFROM ")[-2:]
    assert "build-essential" in build
    assert "apt-get" not in last
    copied = {line.split()[1] for line in CONTAINERFILE.splitlines() if line.startswith("COPY ") and "--" not in line}
    assert {"components", "pipelines", "service", "evaluation", "cli", "hayhooks", "config", "samples"} <= copied
    assert [name for name in copied if not (PROJECT / name).exists()] == []
