"""Recorded calls: attribution of a prompt to files, a report, an import, and the room that they take."""

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from commands import BARE, HARBOR, OVERTURE
from data import WORDS, make_sentence
from measure import Options, Row, collect, make_row, measure_time, run_command

from overture.tap.attribute.agent_sources import find_sources
from overture.tap.attribute.attribute_call import find_call_files
from overture.tap.recorded_call import CallPiece, RecordedCall, Run
from overture.tap.run.run_tap import Recording
from overture.tap.store.store import open_store
from overture.tap.wire.read_call import RawCall

FILES, PROMPT, CALLS, LINES = 5000, 300_000, 1000, 50
CHANCE = random.Random(7)
TEXT = "\n".join(f"- {make_sentence(line, 13)}." for line in range(150))
VOCABULARY = [f"{word}{end}" for word in sorted(set(WORDS)) for end in ("", "s", "ing", *range(20))]
TOOLS = [{"name": f"tool_{n}", "description": TEXT[n * 50 :][:1500], "input_schema": {}} for n in range(20)]
USAGE = {"input_tokens": 40, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9000, "output_tokens": 7}
ANSWER = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
          "content": [{"type": "text", "text": "Aye."}], "usage": USAGE}  # fmt: skip


def rows(options: Options) -> Iterator[Row]:
    """Attribution first; then a store, its report and an import."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _attribution(folder, options)
        store = folder / "own" / "calls.sqlite"
        yield _record(store)
        log = folder / "log.jsonl"
        log.write_text("\n".join(map(json.dumps, _transcript())) + "\n", encoding="utf-8")

        def one_round(number: int) -> dict[str, float]:
            environ = {"PATH": os.environ["PATH"], "HOME": name, "XDG_CACHE_HOME": str(folder / f"reports-{number}")}
            report = (OVERTURE, "tap", "report", "--since", "all", "--store", str(store))
            read = (OVERTURE, "tap", "import", str(log), "--store", str(folder / f"new-{number}" / "calls.sqlite"))
            return {
                "bare": run_command(BARE, HARBOR, environ),
                "first": run_command(report, HARBOR, environ),
                "second": run_command(report, HARBOR, environ),
                "import": run_command(read, HARBOR, environ),
            }

        took = collect(one_round, options.count(3))
    bare = ("bare Python", took["bare"])
    for run in ("first", "second"):
        work = f"`overture tap report` of {CALLS:,} calls, {run} time"
        yield make_row("tap", work, "s", took[run], bare, "above", 0.5)
    yield make_row("tap", f"`overture tap import`, {CALLS:,} answers", "s", took["import"], bare, "above", 1)


def _attribution(folder: Path, options: Options) -> Iterator[Row]:
    """Each round in a process of its own, with the start of the program that compares."""
    project = folder / "project"
    (project / ".git").mkdir(parents=True)
    (folder / "prompt").write_text(_write_prompt(_write_pages(project)), encoding="utf-8")

    def one_round(_number: int) -> dict[str, float]:
        line = f"{sys.executable} {__file__} {project} {folder / 'prompt'} {folder / 'took'}"
        run_command(line.split(), project, os.environ | {"HOME": str(folder)})
        return {"took": float((folder / "took").read_text())}

    took = collect(one_round, options.count(3))["took"]
    yield make_row("tap", f"tap: attribute 300 kB to {FILES:,} files", "s", took, goal=1.5)


def _attribute(project: Path, prompt: Path, into: Path) -> None:
    """Once, in this process."""
    pieces = (CallPiece("system", "system", prompt.read_text(encoding="utf-8")),)
    call = RecordedCall("c", "2026-03-07T08:00:00+00:00", "anthropic", "h", "/v1/messages", "m", 200, pieces)

    def attribute() -> None:
        spans = find_call_files(call, find_sources("python", cwd=project, home=into.parent / "home")).spans[0]
        assert sum(span.end - span.start for span in spans) > PROMPT / 3

    into.write_text(str(measure_time(attribute)))


def _line() -> str:
    return " ".join(CHANCE.choices(VOCABULARY, k=CHANCE.randint(4, 16)))


def _write_pages(folder: Path) -> list[Path]:
    """Pages of some four kilobytes, in folders of fifty, written some time ago."""
    pages = [folder / f"part-{n // 50}" / f"page-{n}.md" for n in range(FILES)]
    for page in pages:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("\n".join(_line() for _ in range(LINES)) + "\n", encoding="utf-8")
        os.utime(page, (1_700_000_000, 1_700_000_000))
    return pages


def _write_prompt(pages: list[Path]) -> str:
    """Whole pages and lines that are in no file, in turn."""
    parts: list[str] = []
    while sum(map(len, parts)) < PROMPT:
        own = "\n".join(_line() for _ in range(LINES))
        parts += [f"<file>\n{CHANCE.choice(pages).read_text(encoding='utf-8')}</file>\n", own]
    return "".join(parts)[:PROMPT]


def _record(path: Path) -> Row:
    """Calls of one prompt, recorded: the room that they take, of the bytes that were sent."""
    sent = 0
    with open_store(path) as store:
        recording = Recording(store, Run("r1", "2026-03-07T08:55:05+00:00", "claude", ("claude",), "/garden"))
        for number in range(CALLS):
            said = [{"role": "user", "content": f"Call {number}: {TEXT[number:][:300]}"}]
            fixed = {"model": "claude-sonnet-4-5", "tools": TOOLS, "system": TEXT * 4, "messages": said}
            body = json.dumps(fixed).encode()
            recording.record(_raw_call(number, body))
            sent += len(body)
        kept = 100 * store.database.count_used_bytes() / sent
    return make_row("tap", f"room of {CALLS:,} calls of one prompt in the store, of the bytes sent", "%", [kept])


def _raw_call(number: int, body: bytes) -> RawCall:
    """A call with headers as they are sent: some of their values are new each time."""
    return RawCall(
        at=f"2026-03-07T08:{number // 60:02}:{number % 60:02}.000+00:00", family="anthropic", host="api.anthropic.com",
        method="POST", path="/v1/messages?beta=true", ended="whole", request=body, status=200,
        request_headers=(("host", "api.anthropic.com"), ("x-api-key", "[hidden]"), ("content-length", str(len(body)))),
        response=json.dumps(ANSWER).encode(), first_ms=1.5, whole_ms=2.5,
        response_headers=(("content-type", "application/json"), ("request-id", f"req_{os.urandom(12).hex()}")),
    )  # fmt: skip


def _transcript() -> Iterator[dict[str, object]]:
    """As Claude Code writes its own."""
    for n in range(CALLS):
        common = {"sessionId": "s", "timestamp": f"2026-03-07T08:{n // 60:02}:{n % 60:02}Z", "cwd": "/garden"}
        said = {"role": "user", "content": f"Do {n}. " * 30}
        yield {**common, "type": "user", "uuid": f"u{n}", "parentUuid": f"a{n - 1}" if n else None, "message": said}
        answer = {**ANSWER, "id": f"m{n}", "content": [{"type": "text", "text": f"Done {n}. " * 30}]}
        yield {
            **common,
            "type": "assistant",
            "uuid": f"a{n}",
            "parentUuid": f"u{n}",
            "requestId": f"r{n}",
            "message": answer,
        }


if __name__ == "__main__":
    _attribute(*map(Path, sys.argv[1:4]))
