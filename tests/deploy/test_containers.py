"""The image, the composition and the proxy agree with each other and with the program that they run."""

import ipaddress
import re
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from backend.cli.commands import app
from backend.settings import Settings

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
NGINX = (ROOT / "deploy" / "nginx.conf").read_text()
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PROGRAMS = {name: body for name, body in SERVICES.items() if body["image"] == "chainproof"}
FIELDS = {f"CHAINPROOF_{name.upper()}" for name in Settings.model_fields}


def instructions(word: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.removeprefix(word).strip() for line in joined.splitlines() if line.startswith(f"{word} ")]


def is_understood(arguments: list[str]) -> None:
    """An option or a command that there is not is wrong use, before any help is given."""
    assert arguments[0] == "chainproof"
    result = CliRunner().invoke(app, [*arguments[1:], "--help"])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_runs_a_command_there_is_with_settings_there_are(name: str) -> None:
    body = PROGRAMS[name]
    is_understood(body["command"])
    assert {key for key in body["environment"] if key.startswith("CHAINPROOF_")} <= FIELDS
    assert {secret.upper() for secret in body["secrets"]} <= FIELDS
    assert set(body["secrets"]) <= set(COMPOSE["secrets"])
    assert body["read_only"]
    assert body["cap_drop"] == ["ALL"]
    assert set(body.get("depends_on", {})) <= set(SERVICES)
    folder = body["volumes"][0].split(":")[1]
    assert f"CHAINPROOF_HOME={folder}" in DOCKERFILE
    assert f"VOLUME {folder}" in DOCKERFILE


def test_dashboards_write_nothing() -> None:
    for name, body in PROGRAMS.items():
        if name.startswith("dashboard"):
            assert [volume.split(":", 1)[1] for volume in body["volumes"]] == ["/data:ro"]


def test_no_program_writes_the_store_before_it_is_migrated() -> None:
    for name, body in PROGRAMS.items():
        if name != "migrate" and not name.startswith("dashboard"):
            assert body["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_the_image_copies_what_there_is_and_ends_as_a_plain_user() -> None:
    lines = (ROOT / ".dockerignore").read_text().split()
    assert lines[0] == "*"
    for copy in instructions("COPY"):
        if not copy.startswith("--from"):
            *sources, _ = copy.split()
            for source in sources:
                assert (ROOT / source).exists(), source
                assert f"!{source}" in lines, source
    copied = {source for copy in instructions("COPY") for source in copy.split()[:-1]}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    targets = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(targets["force-include"]) <= copied, "the build of the package needs them"
    assert instructions("USER") == ["10001:10001"]
    names = re.findall(r"CHAINPROOF_\w+", " ".join(instructions("ENV")))
    assert set(names) <= FIELDS
    assert DOCKERFILE.rindex("USER") > DOCKERFILE.rindex("RUN")
    is_understood(yaml.safe_load(instructions("CMD")[-1]))
    defaults = Settings.model_fields
    ports = f"{defaults['port'].default} {defaults['dashboard_port'].default}"
    assert instructions("EXPOSE") == [ports]


def test_images_are_plain_names_of_a_version() -> None:
    images = [body["image"] for body in SERVICES.values() if body["image"] != "chainproof"]
    images += [line.split()[0] for line in instructions("FROM")]
    assert images
    for image in images:
        assert re.fullmatch(r"[a-z]+:[\w.-]+", image), image


def test_the_proxy_leads_to_every_process_that_answers_and_to_no_other() -> None:
    defaults = Settings.model_fields
    addresses = {
        f"{name}:{defaults['port' if body['command'][1] == 'serve' else 'dashboard_port'].default}"
        for name, body in PROGRAMS.items()
        if body["command"][1] in ("serve", "dashboard")
    }
    assert set(re.findall(r"^\s+server (\S+:\d+)", NGINX, re.MULTILINE)) == addresses
    listens = set(re.findall(r"listen (\d+);", NGINX))
    assert {port.split(":")[-1] for port in SERVICES["proxy"]["ports"]} == listens
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["proxy"]["ports"])
    assert NGINX.count("{") == NGINX.count("}")
    assert set(SERVICES["proxy"]["depends_on"]) == {address.split(":")[0] for address in addresses}


def test_the_image_is_built_once_for_all_programs() -> None:
    """Builds at the same time under one name stop each other."""
    assert [name for name, body in PROGRAMS.items() if "build" in body] == ["migrate"]
    assert {body["pull_policy"] for body in PROGRAMS.values()} == {"never"}


def test_restarted_processes_keep_the_addresses_that_the_proxy_read_at_its_start() -> None:
    [network] = COMPOSE["networks"]["inside"]["ipam"]["config"]
    hosts = dict(host.split(":") for host in SERVICES["proxy"]["extra_hosts"])
    assert set(hosts) == {
        name for name, body in PROGRAMS.items() if body["command"][1] in ("serve", "dashboard")
    }
    for name, host in hosts.items():
        assert PROGRAMS[name]["networks"]["inside"]["ipv4_address"] == host
        address = ipaddress.ip_address(host)
        assert address in ipaddress.ip_network(network["subnet"])
        assert address not in ipaddress.ip_network(network["ip_range"]), "which other containers get"
    assert len(set(hosts.values())) == len(hosts)


def test_the_proxy_keeps_a_browser_with_one_dashboard_and_leads_to_another_when_that_is_gone() -> None:
    """Without it each request would begin a session at the dashboard that it comes to."""
    assert "hash $seat consistent;" in NGINX
    assert "add_header Set-Cookie $give_seat;" in NGINX
    pages = NGINX[NGINX.index("listen 8501;") :]
    assert re.findall(r"proxy_next_upstream (.+);", pages) == ["error timeout"]
    assert re.findall(r"server dashboard-\d+:\d+(.*);", NGINX) == [" max_fails=0"] * 2


def test_only_the_proxys_network_is_trusted_to_say_who_asks() -> None:
    [network] = COMPOSE["networks"]["inside"]["ipam"]["config"]
    for body in PROGRAMS.values():
        assert body["environment"]["CHAINPROOF_TRUSTED_PROXIES"] == network["subnet"]
    *_, service, pages = re.split(r"^    server \{$", NGINX, flags=re.MULTILINE)
    for server in (service, pages):  # which inherits no header once it sets one
        assert "proxy_set_header X-Forwarded-For $remote_addr;" in server
        assert "proxy_set_header Host $http_host;" in server
        assert "proxy_set_header X-Forwarded-Proto $scheme;" in server
        assert not re.search(r"^            proxy_set_header", server, re.MULTILINE)


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path in ("/healthz", "/_stcore/health") else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: the test's output is its own."""


@pytest.fixture
def port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Healthy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_health_checks_tell_a_program_that_answers_from_one_that_does_not(port: int) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    [managed] = re.findall(r"CHAINPROOF_MANAGEMENT_PORT=(\d+)", dockerfile)
    assert f"http://127.0.0.1:{managed}/healthz" in instructions("HEALTHCHECK")[0]
    of_image = yaml.safe_load(instructions("HEALTHCHECK")[0].partition("CMD")[2])
    checks = [of_image, SERVICES["dashboard-1"]["healthcheck"]["test"][1:]]
    for program, option, code in checks:
        assert (program, option) == ("python", "-c")
        check_code = re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{port}", code)
        exec(check_code, {})
        with pytest.raises(OSError, match=r"404|refused"):
            exec(check_code.replace("health", "nothing"), {})


def test_the_commands_that_prepare_it_make_what_is_mounted() -> None:
    lines = (ROOT / "compose.yaml").read_text().splitlines()
    result = " ".join(line[1:] for line in lines if line.startswith("#"))
    for secret in COMPOSE["secrets"].values():
        assert f"> {str(secret['file']).removeprefix('./')}" in result
