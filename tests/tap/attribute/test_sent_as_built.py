"""What an agent's recipe builds is traced back to its files: whole where the rules load it, cut where they cut it."""

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import structs

import overture
from overture.agents.uses import Use
from overture.tap.attribute.agent_sources import find_sources
from overture.tap.attribute.attribute_call import find_call_files
from overture.tap.attribute.files_of_call import FilesOfCall, SentFile
from overture.tap.commands.describe_call_files import describe_sent
from overture.tap.recorded_call import CallPiece, RecordedCall
from overture.tap.store.store import open_store
from overture.testing import FakeWorld
from tests.contract.cli.run import read_stdout

from .places import call_of

pytestmark = pytest.mark.slow


HOME = "/home/user"
BODY = """This project runs the harbour office of a small town.

## Rules

- Use tabs for indentation in all Go files.
- Never push to main without a review.
- Run `make test` before you commit.
"""
PAGES = {
    "/p/.git/HEAD": "ref: refs/heads/tide\n",
    "/p/docs/style.md": "Write in short sentences.\nUse plain English words.\n\nThank you all for reading this page.\n",
    "/p/docs/tides.md": "The tide tables are printed in June.\n",
    "/p/docs/few.md": "Ask Ada.\n",
}
FORMS = {
    "imports before a short end": f"# Harbour\n\n{BODY}\n## More\n\n@docs/style.md\n@docs/tides.md\n\nBe kind.\n",
    "imports at the end": f"# Harbour\n\n{BODY}\n@docs/style.md\n@docs/tides.md\n@docs/few.md\n",
    "imports at the top": f"@docs/style.md\n@docs/tides.md\n\n# Harbour\n\nGo on.\n\n{BODY}",
    "short lines between imports": f"{BODY}\n@docs/style.md\nGo on.\n@docs/few.md\nAnd on.\n@docs/tides.md\nBye.\n",
    "a comment at the end": f"# Harbour\n\n{BODY}\n<!-- Whoever edits this page: keep it below a hundred lines. -->\n",
    "blank lines at the end": f"# Harbour\n\n{BODY}\n   \n\n\n",
    "nothing but words": f"{BODY}",
}
NAMES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md")
IMPORTERS = ("amp", "claude-code", "copilot-cli", "gemini-cli", "goose", "qwen-code", "codex", "opencode")
LIMITS = {
    "codex": ("AGENTS.md", 32_768),
    "droid": ("AGENTS.md", 80_000),
    "gptme": ("AGENTS.md", 100_000),
    "devin": (".windsurf/rules/tide.md", 12_000),
    "antigravity": (".agents/rules/tide.md", 12_000),
}


def sent_by(agent: str, files: Mapping[str, str], sent: Mapping[str, str] | None = None) -> tuple[FilesOfCall, str]:
    """What the tap says of a call that holds what the recipe builds; the files may be others by then."""
    found = overture.discover(agent, cwd="/p", home=HOME, world=FakeWorld(dict(sent or files)))
    prompt = overture.build(agent, found.state)
    text = "\n\n".join((prompt.text, *(block.text for block in prompt.messages)))
    sources = find_sources(agent, cwd="/p", home=HOME, world=FakeWorld(dict(files)))
    return find_call_files(call_of(text), sources), text


def uses_of(agent: str, files: Mapping[str, str]) -> dict[str, Use]:
    """What `agents` says of the same files."""
    sources = find_sources(agent, cwd="/p", home=HOME, world=FakeWorld(dict(files)))
    return {use.path: use for use in sources.uses}


def arrived(found: FilesOfCall) -> dict[str, SentFile]:
    """What of each file was sent."""
    return {file.path: file for file in found.sent}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_which_all_was_sent_is_not_cut(form: str) -> None:
    """Imports in the place of lines, stripped comments and short last lines are no cut, whoever the agent is."""
    pages = {f"/p/{name}": FORMS[form].replace("small town", f"small town of {name}") for name in NAMES}
    files = {**PAGES, **pages}
    for agent in IMPORTERS:
        found, _ = sent_by(agent, files)
        loaded = {path for path, file in uses_of(agent, files).items() if file.how == "loaded"}
        assert [fate for fate in found.unsent if fate.is_finding] == [], agent
        wrong = [(file.path, describe_sent(file)) for file in found.sent if file.cut is not None or file.line != 1]
        assert wrong == [], agent
        assert loaded - set(PAGES) <= set(arrived(found)), agent


@pytest.mark.parametrize("agent", LIMITS)
def test_agents_and_tap_name_the_same_line_of_a_cut(agent: str) -> None:
    """Wherever the limit falls: within a line, behind its last word, at a blank line, in a block of code."""
    name, most = LIMITS[agent]
    for seed in range(4):
        files = {**PAGES, f"/p/{name}": _long_page(most, seed)}
        rules = uses_of(agent, files)[f"/p/{name}"]
        found, text = sent_by(agent, files)
        file = arrived(found)[f"/p/{name}"]
        assert rules.how == "truncated", rules
        assert (file.cut, file.lines) == (rules.last_line, rules.lines), text[-300:]
        assert [fate for fate in found.unsent if fate.is_finding] == []


def _long_page(most: int, seed: int) -> str:
    """Lines of all sorts, by chance, that are more than a limit takes."""
    chance, lines, size = random.Random(seed), list[str](), 0
    while size < most * 1.3:
        words = " ".join(chance.choices(("harbour", "tide", "berth", "ship", "crane", "crew", "rope"), k=9))
        at = len(lines)
        lines += chance.choice(
            ([f"- {at}: {words}."], ["", f"## {at} {words}", ""], ["```", f"run {at} {words}", "```"])
        )
        size = sum(len(line) + 1 for line in lines)
    return "\n".join(lines) + "\n"


def test_both_commands_name_the_same_line(tmp_path: Path) -> None:
    """`overture agents codex` and `overture tap show` of a call of Codex end the file at one line."""
    project, home = tmp_path / "p", tmp_path / "home"
    home.mkdir()
    page = _long_page(32_768, 9)
    (project / ".git").mkdir(parents=True)
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (project / "AGENTS.md").write_text(page, encoding="utf-8")
    prompt = overture.build("codex", cwd=project, home=home)
    text = "\n\n".join((prompt.text, *(block.text for block in prompt.messages)))
    store = tmp_path / "calls.db"
    _keep_call(store, text, project)
    rules = json.loads(read_stdout("agents", "codex", "--json", "--cwd", project, "--home", home))
    (said,) = [file for file in rules["agents"][0]["files"] if file["path"] == "AGENTS.md"]
    shown = read_stdout("tap", "show", "--store", store)
    assert said["how"] == "truncated"
    assert f"truncated after line {said['last_line']} of {said['lines']}" in shown


def _keep_call(path: Path, text: str, cwd: Path) -> None:
    call = RecordedCall(
        "1", "2026-05-04T12:00:00Z", "openai-responses", "h", "/v1/responses", "m", 200, (), "r", "codex", str(cwd)
    )
    with open_store(path) as store:
        store.add(structs.replace(call, pieces=(CallPiece("system", "system", text),)))


def test_a_changed_line_is_not_the_files() -> None:
    """A line that was sent with another word, number or mark is named as changed, and no file accounts for it."""
    now = PAGES | {"/p/AGENTS.md": f"# Harbour\n\n{BODY}\nListen on port 8080 of every machine (both IPv4 and IPv6).\n"}
    for old, new in (
        ("Never push to main", "Always push to main"),
        ("Use tabs for indentation", "Use spaces for indentation"),
        ("port 8080", "port 9090"),
        ("(both IPv4 and IPv6)", "[both IPv4 and IPv6]"),
        ("`make test`", '"make test"'),
    ):
        then = {path: text.replace(old, new) for path, text in now.items()}
        found, text = sent_by("codex", now, then)
        (line,) = [at for at, each in enumerate(now["/p/AGENTS.md"].split("\n"), 1) if old in each]
        file = arrived(found)["/p/AGENTS.md"]
        assert (file.changed, file.cut, file.gaps) == ((line,), None, ()), (new, describe_sent(file))
        assert f"line {line} changed" in describe_sent(file)
        at = text.index(new)
        spans = [span for each in found.spans.values() for span in each if span.start <= at < span.end]
        assert [(span.how, span.is_from_file) for span in spans] == [("changed", False)]


def test_blanks_and_escapes_change_no_line() -> None:
    """Indented, wrapped, or written as JSON or XML, a line is still the file's."""
    page = f'# Harbour\n\n{BODY}\nWrite <b>"C:\\new\\table"</b> & not the other one, s\'il vous plaît 😀 ok.\n'
    files = {**PAGES, "/p/AGENTS.md": page}
    sources = find_sources("codex", cwd="/p", home=HOME, world=FakeWorld(files))
    xml = page.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    indented = "\n".join(f"\t{line}  " for line in page.split("\n"))
    for sent in (page, indented, json.dumps({"text": page}), json.dumps(json.dumps(page)), xml, " ".join(page.split())):
        (file,) = find_call_files(call_of(sent), sources).sent
        assert (file.changed, file.cut, file.line, file.last_line) == ((), None, 1, file.lines), sent


def test_a_line_goes_to_the_file_that_the_agent_loads() -> None:
    """Of several files that hold a line, it is one that the rules load, and none of another agent's folders."""
    rules = f"# Harbour\n\n{BODY}\nKeep the berth list sorted by the length of the ships.\n"
    other = f"{rules}\nAnswer every question in at most three short sentences, please.\n"
    now = {
        **PAGES,
        "/p/CLAUDE.md": rules.replace("sorted by the length", "sorted by the weight"),
        f"{HOME}/.codex/AGENTS.md": other,
        "/p/.cursor/rules/old.md": other,
    }
    found, _ = sent_by("claude-code", now, {**now, "/p/CLAUDE.md": rules})
    assert {span.path for each in found.spans.values() for span in each if span.path} == {"/p/CLAUDE.md"}
    assert arrived(found)["/p/CLAUDE.md"].changed == (11,)


def test_a_file_of_another_agent_that_was_sent_all_the_same() -> None:
    """Where half of it or more is there, the rules that are known are wrong, and that is said."""
    files = {
        **PAGES,
        "/p/CLAUDE.md": f"# Harbour\n\n{BODY}",
        "/p/.cursor/rules/short.md": "Answer in at most three short sentences, please.\n",
    }
    found = overture.discover("claude-code", cwd="/p", home=HOME, world=FakeWorld(files))
    text = "\n".join((overture.build("claude-code", found.state).text, *list(files.values())[-2:]))
    sources = find_sources("claude-code", cwd="/p", home=HOME, world=FakeWorld(files))
    assert "/p/.cursor/rules/short.md" in arrived(find_call_files(call_of(text), sources))
