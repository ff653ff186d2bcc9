"""Generated Python and TypeScript clients call every operation, and every example fits the document."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

import orjson
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from backend.http.openapi_examples import load_examples
from tests.support.openapi.document import build_validator, find_component, find_success, list_operations
from tests.support.openapi.documented_service import Call, DocumentedService, serve_documented
from tests.support.openapi.generated_client import PACKAGE, call_generated, generate_python_client
from tests.support.processes import running
from tests.support.test_session import prerequisites, requirements

CLIENTS = Path(__file__).parent / "clients"
MAX_DOCUMENT_BYTES = 200_000
HOW_TO_ADD_EXAMPLES = "run python -m docs.openapi_examples"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentedService]:
    home = tmp_path_factory.mktemp("documented")
    running.add_compiled_rules(home)
    with serve_documented(home) as service:
        yield service


@pytest.fixture(scope="module")
def node_modules() -> Path:
    found = prerequisites.node_modules()
    if found is None:
        requirements.skip_or_fail(prerequisites.NO_NODE)
    return found


def find_success_status(service: DocumentedService, call: Call) -> int:
    return int(find_success(service.inlined["paths"][call.path][call.method])[0])


def test_the_document_is_small_tagged_and_compressed(service: DocumentedService) -> None:
    plain = service.client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
    zipped = service.client.get("/openapi.json")
    assert len(plain.content) < MAX_DOCUMENT_BYTES
    assert plain.json() == zipped.json() == service.document
    assert int(zipped.headers["content-length"]) < len(plain.content) / 5
    assert zipped.headers["content-encoding"] == "gzip"
    for answer in (plain, zipped):
        headers = {"If-None-Match": answer.headers["etag"], "Accept-Encoding": "gzip, identity;q=0.5"}
        headers |= {} if answer is zipped else {"Accept-Encoding": "identity"}
        assert service.client.get("/openapi.json", headers=headers).status_code == 304


def test_one_validator_accepts_the_document(service: DocumentedService) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(service.document).iter_errors()] == []


def test_another_validator_accepts_the_document(
    service: DocumentedService, node_modules: Path, tmp_path: Path
) -> None:
    (tmp_path / "openapi.json").write_bytes(orjson.dumps(service.document))
    (tmp_path / "node_modules").symlink_to(node_modules)
    (tmp_path / "validate.mjs").write_text(
        'import { Validator } from "@seriousme/openapi-schema-validator";\n'
        'console.log(JSON.stringify(await new Validator().validate("openapi.json")));\n'
    )
    assert json.loads(run("node", "validate.mjs", folder=tmp_path)) == {"valid": True}


def test_every_body_and_required_parameter_has_a_valid_example(service: DocumentedService) -> None:
    operations = {operation["operationId"]: operation for _, _, operation in list_operations(service.inlined)}
    assert load_examples()["requests"].keys() <= operations.keys()
    for name, operation in operations.items():
        for parameter in operation.get("parameters", ()):
            if parameter.get("required") and not name.endswith("SignInPage"):
                assert "example" in parameter, (name, parameter["name"])
            if "example" in parameter:
                build_validator(service.document, parameter["schema"]).validate(parameter["example"])
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            assert "example" in content or not kind.endswith("json"), name
            if "example" in content:
                build_validator(service.document, content["schema"]).validate(content["example"])


def test_every_example_of_a_schema_is_valid(service: DocumentedService) -> None:
    assert load_examples()["schemas"].keys() <= service.document["components"]["schemas"].keys()
    for name, example in load_examples()["schemas"].items():
        build_validator(service.document, {"$ref": f"#/components/schemas/{name}"}).validate(example)


def test_every_example_request_gets_the_documented_answer(service: DocumentedService) -> None:
    for call in service.build_calls():
        answer = service.send(call)
        responses = service.inlined["paths"][call.path][call.method]["responses"]
        assert answer.status_code == find_success_status(service, call), (call, answer.text)
        kind = answer.headers.get("content-type", "").partition(";")[0]
        contents = responses[str(answer.status_code)].get("content", {})
        assert kind in contents or not answer.content, (call.operation_id, kind)
        if kind.endswith("json"):
            schema = contents[kind]["schema"]
            build_validator(service.document, schema).validate(answer.json())
            name, _ = find_component(schema, answer.json())
            assert not name or name in load_examples()["schemas"], f"{name}: {HOW_TO_ADD_EXAMPLES}"


def test_limits_of_any_size_count_as_the_maximum(service: DocumentedService) -> None:
    for call in service.build_calls():
        operation = service.inlined["paths"][call.path][call.method]
        for parameter in operation.get("parameters", ()):
            if parameter["name"] in ("limit", "page_size"):
                assert "maximum" not in parameter["schema"], call.operation_id
                call.values["query"][parameter["name"]] = "9" * 40
                assert service.send(call).status_code == 200, call.operation_id


def test_a_generated_python_client_calls_every_operation(
    service: DocumentedService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "WARNING" not in generate_python_client(service.document, tmp_path)
    script = tmp_path / "finished_job.py"
    script.write_bytes((CLIENTS / script.name).read_bytes())
    cache = Path(".mypy_cache") / "generated_client"
    run(
        *(sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={cache.resolve()}"),
        *(PACKAGE, script.name),
        folder=tmp_path,
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import chainproof_client  # type: ignore[import-not-found]  # it is generated above
    import finished_job  # type: ignore[import-not-found]  # it is copied above

    client = chainproof_client.AuthenticatedClient(
        service.research.url, service.research.key, prefix="", auth_header_name="CP-X-API-KEY", timeout=60
    )
    for call in (calls := service.build_calls()):
        answer = call_generated(tmp_path, client, call)
        assert answer.status_code == find_success_status(service, call), (call, answer.content)
        has_body = "content" in service.inlined["paths"][call.path][call.method]["responses"]
        assert answer.parsed is not None or not has_body, call.operation_id
    assert 0 <= finished_job.read_probability(client, UUID(find_finished_job(calls))) <= 1
    assert isinstance(finished_job.submit_statement(client), UUID)


def test_a_generated_typescript_client_calls_every_operation(
    service: DocumentedService, node_modules: Path, tmp_path: Path
) -> None:
    (tmp_path / "node_modules").symlink_to(node_modules)
    script = tmp_path / "every_operation.ts"
    script.write_bytes((CLIENTS / script.name).read_bytes())
    (tmp_path / "openapi.json").write_bytes(orjson.dumps(service.document))
    calls = service.build_calls()
    requests = {
        "url": service.research.url,
        "key": service.research.key,
        "calls": [asdict(call) for call in calls],
        "finished_job": find_finished_job(calls),
    }
    (tmp_path / "requests.json").write_bytes(orjson.dumps(requests))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    generator = "node_modules/openapi-typescript/bin/cli.js"
    types = ("openapi.json", "-o", "api.d.ts", "--default-non-nullable=false")
    run("node", generator, *types, folder=tmp_path)
    options = ("--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom")
    run(
        *("node", "node_modules/typescript/bin/tsc", *options, "--resolveJsonModule", "--skipLibCheck"),
        *("--outDir", "built", script.name),
        folder=tmp_path,
    )
    result = json.loads(run("node", "built/every_operation.js", folder=tmp_path))
    assert result["statuses"] == {call.operation_id: find_success_status(service, call) for call in calls}
    assert 0 <= result["probability"] <= 1
    assert UUID(result["submitted"])


def find_finished_job(calls: list[Call]) -> str:
    [job_id] = [call.values["path"]["id"] for call in calls if call.operation_id == "getSourcesJob"]
    return str(job_id)


def run(*command: str | Path, folder: Path) -> str:
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
