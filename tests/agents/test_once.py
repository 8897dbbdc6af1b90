"""An agent's answer asks for each thing once."""

import sys
from collections import Counter
from types import FrameType

import pytest
from msgspec import structs

from overture.agents.make_reports import report_agents
from overture.known_agents import AGENTS
from overture.text.scan_for_marks import scan

from .places import project

RULE = "---\ndescription: Rules\nglobs: src/**\npaths: ['src/**']\napplyTo: '**'\n---\nRule {n}.\n"
FILES = {
    **{f"{folder}{name}": f"Say {folder}{name}.\n@docs/more.md\n<!-- a -->\n"
       for folder in ("", "src/", "src/api/", "lib/deep/") for name in ("AGENTS.md", "CLAUDE.md", "GEMINI.md")},
    **{f"{place}/one{end}": RULE.format(n=place)
       for place, end in ((".claude/rules", ".md"), (".cursor/rules", ".mdc"), (".clinerules", ".md"),
                          (".github/instructions", ".instructions.md"), (".roo/rules", ".md"))},
    ".claude/skills/sail/SKILL.md": "---\nname: sail\ndescription: Sail.\n---\nSail.\n",
    ".agents/skills/row/SKILL.md": "---\nname: row\ndescription: Row.\n---\nRow.\n",
    ".github/copilot-instructions.md": "Help.\n",
    "docs/more.md": "More.\n",
}  # fmt: skip


@pytest.mark.parametrize("name", AGENTS)
def test_an_agents_answer_reads_no_file_twice(name: str) -> None:
    """However often it looks around, at the start and for every folder below, each content is read once."""
    world = project(FILES)
    report_agents([name], world=world)
    read = Counter(path for path in world.reads if path in {f"/p/{each}" for each in FILES})
    assert set(read.values()) <= {1}, read


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_read_later_is_counted_where_that_is_asked_for(name: str) -> None:
    """Nothing else differs, and what is told at the start is counted either way."""
    (counted,) = report_agents([name], world=project(FILES))
    (bare,) = report_agents([name], world=project(FILES), count_later=False)
    later = [file.tokens for file in bare.of("on_demand")]
    assert later == [0] * len(later)
    files = [structs.replace(file, tokens=0) if file.status == "on_demand" else file for file in counted.files]
    assert bare == structs.replace(counted, files=tuple(files))
    texts = [file for file in counted.of("on_demand") if file.path.endswith("lib/deep/AGENTS.md")]
    assert all(file.tokens for file in texts)


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_all_that_is_told_is_the_same_when_it_is_asked_again(name: str) -> None:
    """What an earlier look has made of a file is what a first look makes of it."""
    world = project(FILES)
    assert report_agents([name], world=world) == report_agents([name], world=project(FILES))


def test_a_long_text_is_looked_through_once() -> None:
    """However many agents load it, and although each of them makes its invisible characters visible."""
    words = "Mind the tide\u200b, and the quay.\n" * 2_000
    looks: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is scan.__code__ and len(frame.f_locals["text"]) > len(words) // 2:
            looks[frame.f_locals["text"]] += 1

    names = ("codex", "cursor", "copilot-cli", "opencode", "zed")
    sys.setprofile(count)
    try:
        reports = report_agents(names, world=project({"AGENTS.md": words}))
    finally:
        sys.setprofile(None)
    assert all(report.of("loaded") or report.of("truncated") for report in reports)
    assert looks
    assert set(looks.values()) == {1}
