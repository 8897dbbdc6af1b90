"""Asks the recorded requests where their marks are from, and whether attribution says the same.

`python -m tests.agents.lab.sources [AGENT …] [--world NAME] [--misses]`: by hand, after the laboratory has run.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from overture.tap.attribute.files_of_call import TextSpan
from overture.tap.attribute.source_lines import LikelyFiles, attribute_texts
from tests.contract.agents.lab.folder import HERE, LAB
from tests.contract.agents.worlds import MARK, WORLDS, World, make_world

from .requests import Request, main_requests, read_requests, strings_of

Truth = dict[str, set[tuple[str, int]]]
"""Each mark, and the files and lines that carry it."""


@dataclass(frozen=True)
class Ground:
    """A world: what may be the source, and what is."""

    world: World
    texts: dict[str, str]
    truth: Truth


def ground_of(name: str) -> Ground:
    """The world's files as they stood in the run."""
    with TemporaryDirectory() as folder:
        world = make_world(name, Path(folder))
        texts = dict(_texts(Path(folder)))
    truth: Truth = {}
    for path, text in texts.items():
        for number, line in enumerate(text.split("\n"), 1):
            for found in MARK.finditer(line):
                truth.setdefault(found.group(), set()).add((path, number))
    return Ground(world, texts, truth)


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".git" not in path.parts and path.stat().st_size < 5_000_000:
            text = path.read_text(encoding="utf-8", errors="replace").replace(str(folder), str(HERE))
            yield f"{HERE}/{path.relative_to(folder).as_posix()}", text


def pieces_of(request: Request) -> Iterator[str]:
    """The texts of a request, each by itself."""
    if request.protocol is None:
        yield from strings_of(request.body)
        return
    yield from (text for _, text in request.protocol.parts(request.body))
    yield from strings_of(request.body.get("tools"))


def judge(text: str, ground: Ground, tally: Counter[str]) -> Iterator[str]:
    """Count the marks of a text, and say which are attributed wrongly or not at all."""
    (spans,), _ = attribute_texts([text], ground.texts, LikelyFiles(cwd=f"{HERE}/{ground.world.cwd}"))
    marks = [found for found in MARK.finditer(text) if found.group() in ground.truth]
    for found in marks:
        span = next((each for each in spans if each.start <= found.start() < each.end), None)
        verdict = _verdict(found.group(), span, ground.truth)
        tally[verdict] += 1
        if verdict != "right":
            around = text[max(0, found.start() - 60) : found.end() + 80]
            yield f"{verdict}: {found.group()} {_place(span)} in {around!r}"
    for span in spans:
        tally[f"how: {span.how}"] += 1
        if not any(span.start <= found.start() < span.end for found in marks):
            tally["characters without a mark"] += span.end - span.start
            if MARK.search(text[span.start : span.end]) is None:
                yield f"unmarked: {_place(span)} {text[span.start : span.end][:200]!r}"


def _place(span: TextSpan | None) -> str:
    return f"{span.path}:{span.line}-{span.last_line} {span.how}" if span else "nowhere"


def _verdict(mark: str, span: TextSpan | None, truth: Truth) -> str:
    if span is None:
        return "missed"
    named = {path for path, number in truth[mark] if span.line <= number <= span.last_line}
    return "right" if named & {span.path} else "twin" if named & set(span.also) else "wrong"


def main(arguments: list[str]) -> int:
    """Print a line for each agent, and fail where a mark is not attributed to its file and line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agents", nargs="*")
    parser.add_argument("--world", action="append")
    parser.add_argument("--misses", action="store_true", help="say each mark that is not right, and each span without")
    chosen = parser.parse_args(arguments)
    grounds: dict[str, Ground] = {}
    failed = False
    for agent in chosen.agents or sorted(path.name for path in (LAB / "runs").iterdir()):
        tally: Counter[str] = Counter()
        for name in chosen.world or WORLDS:
            asked = main_requests(read_requests(LAB / "runs" / agent / f"{name}.jsonl"))
            if not asked:
                continue
            ground = grounds.get(name) or grounds.setdefault(name, ground_of(name))
            for text in dict.fromkeys(text for request in (asked[0], asked[-1]) for text in pieces_of(request)):
                for line in judge(text, ground, tally):
                    if chosen.misses:
                        print(f"  {agent} {name} {line}")
        failed = failed or bool(tally["wrong"] + tally["missed"])
        print(_line(agent, tally), flush=True)
    return int(failed)


def _line(agent: str, tally: Counter[str]) -> str:
    right, wrong = tally["right"] + tally["twin"], tally["wrong"]
    marks = right + wrong + tally["missed"]
    hows = ", ".join(f"{key[5:]} {count}" for key, count in sorted(tally.items()) if key.startswith("how: "))
    return (
        f"{agent}: {marks} marks, precision {right / ((right + wrong) or 1):.4f}, recall {right / (marks or 1):.4f}"
        f" ({tally['twin']} under another name of the same text); spans: {hows};"
        f" {tally['characters without a mark']} characters without a mark"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
