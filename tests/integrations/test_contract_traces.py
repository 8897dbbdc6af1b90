"""A request of every framework is one span, in a program that traces with OpenTelemetry."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from .contract import Step

pytestmark = pytest.mark.filterwarnings("default")  # what others' packages warn of is theirs


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    """The spans of a test, from the program's one provider."""
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield exporter
    exporter.shutdown()


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_is_one_span(
    framework: Any, make_session: Any, project: Path, exporter: InMemorySpanExporter, stream: bool
) -> None:
    """Each request is one `overture.turn`, and all that it looks for and reads is inside."""

    def edit() -> str:
        """Change the instructions."""
        (project / "AGENTS.md").write_text("Use spaces.\n")
        return "done"

    session = make_session()
    framework.run(session, "hi", [Step("ok")], [edit])
    exporter.clear()
    (project / "AGENTS.md").write_text("Use two tabs.\n")
    steps = [*([] if stream else [Step(calls=(("edit", {}),))]), Step("ok")]
    run = framework.run(session, "go on", steps, [edit], stream=stream)
    spans = [each for each in exporter.get_finished_spans() if each.name.startswith("overture.")]
    turns = {each.context.span_id for each in spans if each.name == "overture.turn"}
    assert len(turns) == len(run.requests) == len(steps)
    outside = {each.name for each in spans if each.parent is None or each.parent.span_id not in turns}
    registers = framework.__name__.endswith("litellm")  # its driver does, as a program: the prompt is built for that
    assert outside - ({"overture.build"} if registers else set()) == {"overture.turn"}
    assert {"overture.discover", "overture.build"} <= {each.name for each in spans}
