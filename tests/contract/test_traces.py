"""Spans of OpenTelemetry: there where the program traces, and no trace of them where it does not."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

PROGRAM = """
import asyncio, json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
{exporter}
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
from overture import Session
session = Session(cwd={cwd!r}, home={cwd!r}, root={cwd!r}, budget=600)
session.update(runtime={{"model": "claude-opus-5", "provider": "anthropic"}})
session.turn("one")
session.assistant("fine")
open({cwd!r} + "/AGENTS.md", "w").write("Use spaces.\\n")
session.refresh()
asyncio.run(session.aturn("two"))
provider.shutdown()
{end}
"""
IN_MEMORY = """
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter = InMemorySpanExporter()
"""
PRINT = """
spans = exporter.get_finished_spans()
print(json.dumps([[each.name, dict(each.attributes), each.parent is not None] for each in spans]))
"""
OTLP = """
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
exporter = OTLPSpanExporter(endpoint={url!r})
"""


def run(program: str, **environment: str) -> str:
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env={"PATH": "", **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> str:
    """A project whose instructions are longer than the budget."""
    (tmp_path / "AGENTS.md").write_text("".join(f"Rule {number} of many.\n" for number in range(400)))
    return str(tmp_path)


def test_a_turn_is_a_span_with_what_it_did_inside(project: str) -> None:
    """The names, blocks, causes and cuts of two turns; no text is in them."""
    spans: list[Any] = json.loads(run(PROGRAM.format(exporter=IN_MEMORY, cwd=project, end=PRINT)))
    names = [name for name, _, _ in spans]
    assert names.count("overture.turn") == 2
    assert {"overture.build", "overture.fit", "overture.discover"} <= set(names)
    assert all(inside for name, _, inside in spans if name != "overture.turn" and name != "overture.discover")
    first, second = [said for name, said, _ in spans if name == "overture.turn"]
    assert first["gen_ai.request.model"] == "claude-opus-5" and first["gen_ai.provider.name"] == "anthropic"
    assert first["gen_ai.conversation.id"] == second["gen_ai.conversation.id"]
    assert first["overture.recipe"] == "house" and "project-context" in first["overture.blocks"]
    assert len(first["overture.blocks"]) == len(first["overture.blocks.pace"])
    assert any(cut.startswith("project-context: ") for cut in first["overture.truncated"])
    assert first["overture.prefix.ratio"] == 0.0 and 0.0 < second["overture.prefix.ratio"] < 1.0
    assert second["overture.changed"] == ["project-context: rewritten"]
    assert second["overture.changed.because"] == ["context_files"]
    assert "Rule 1" not in json.dumps(spans) and "Use spaces" not in json.dumps(spans)


FRAMEWORK = (
    PROGRAM.replace('session.turn("one")', "session.framework.prepare_request([Message('user', 'one')])")
    .replace('session.assistant("fine")', "rows = [Message('user', 'one'), Message('assistant', 'fine')]")
    .replace('session.aturn("two")', "session.framework.aprepare_request([*rows, Message('user', 'two')], tools=[])")
    .replace("import Session", "import Message, Session")
)


def test_a_framework_s_request_is_one_span(project: str) -> None:
    """What a request of a framework reads and builds is inside its turn, and not a trace of its own."""
    assert FRAMEWORK.count("prepare_request") == 2
    spans: list[Any] = json.loads(run(FRAMEWORK.format(exporter=IN_MEMORY, cwd=project, end=PRINT)))
    names = [name for name, _, _ in spans]
    assert names.count("overture.turn") == 2 and {"overture.build", "overture.discover"} <= set(names)
    turns = [said for name, said, _ in spans if name == "overture.turn"]
    assert [said["overture.turn"] for said in turns] == [1, 2] and turns[1]["overture.messages"] >= 3
    # The program itself reads the files again once, between the two.
    assert sum(not inside for _, _, inside in spans) == 2


@pytest.mark.slow(unless=("true-True",))
@pytest.mark.parametrize(("value", "asks"), [("true", True), ("SPAN_ONLY", True), ("EVENT_ONLY", False)])
def test_texts_are_in_spans_when_they_are_asked_for(project: str, value: str, asks: bool) -> None:
    """The conventions' own variable asks for them, with the values that the conventions' own package takes."""
    said = run(
        PROGRAM.format(exporter=IN_MEMORY, cwd=project, end=PRINT),
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=value,
    )
    assert ("gen_ai.system_instructions" in said) is asks and ("Use spaces." in said) is asks


@pytest.mark.slow
def test_spans_reach_a_collector(project: str) -> None:
    """An OTLP endpoint gets them."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1/traces"
        run(PROGRAM.format(exporter=OTLP.format(url=url), cwd=project, end=""))
        server.shutdown()
    spans = [
        span.name
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert spans.count("overture.turn") == 2


def test_without_a_tracer_nothing_is_loaded(project: str) -> None:
    """A program that does not trace never loads OpenTelemetry, though it is installed."""
    program = (
        "import sys; from overture import Session\n"
        f"Session(cwd={project!r}, home={project!r}, root={project!r}).turn('hi')\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    assert run(program).strip() == "[]"


def test_an_error_is_the_caller_s_and_in_the_span(project: str) -> None:
    """What a traced function raises is raised, and the span says so."""
    end = PRINT.replace("each.parent is not None", "each.status.status_code.name")
    program = PROGRAM.replace(
        'session.turn("one")',
        "from overture import fit, BudgetError\ntry:\n    fit(session.prompt, 1)\nexcept BudgetError: pass",
    )
    spans = json.loads(run(program.format(exporter=IN_MEMORY, cwd=project, end=end)))
    assert ["overture.fit", "ERROR"] in [[name, status] for name, _, status in spans]
