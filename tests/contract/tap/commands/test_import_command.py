"""`overture tap import`, as people run it."""

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from tests.contract.cli.forked import run_overture
from tests.contract.cli.run import assert_refused, run

SAMPLES = Path(__file__).parents[1] / "log_formats/samples"
NAMES = sorted(path.name for path in SAMPLES.iterdir())

pytestmark = pytest.mark.slow


class Place:
    """A project with a store and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.home, self.garden = folder / "home", folder / "garden"
        self.home.mkdir()
        self.garden.mkdir()
        (self.garden / "CLAUDE.md").write_text("Water the roses at dusk, never at noon.\n")
        (self.garden / ".git").mkdir()
        self.environ = {"HOME": str(self.home), "XDG_DATA_HOME": str(folder / "data")}
        self.environ |= {"CODEX_HOME": "", "CLAUDE_CONFIG_DIR": ""}

    def run(self, *words: str | Path, given: bytes = b"") -> tuple[int, str, str]:
        """A command: its exit code, and what it says."""
        done = run_overture(("tap", *words), given, self.garden, self.environ)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def read_stdout(self, *words: str | Path) -> str:
        """What a command prints when all is well."""
        code, out, err = self.run(*words)
        assert (code, err) == (0, "")
        return out

    def sample(self, name: str, path: Path) -> Path:
        """A sample somewhere else, as if it had been written in this project."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((SAMPLES / name).read_text().replace('"/garden"', json.dumps(str(self.garden))))
        return path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_import_says_what_came_of_it(place: Place) -> None:
    """How many calls, how many of them are new, and what is no call; then how to look into it."""
    told = place.read_stdout("import", SAMPLES / "mitmproxy.har").splitlines()
    assert told[0].endswith("mitmproxy.har: 2 new, 0 were already recorded; 1 entry is not a model call.")
    run_id = re.search(r"--since (i\w+)", told[1])
    assert run_id is not None
    assert "because the date in Today changed" in place.read_stdout("report", "--since", run_id[1])
    again = place.read_stdout("import", SAMPLES / "mitmproxy.har").splitlines()
    assert len(again) == 1 and ": 0 new, 2 were already recorded; 1 entry" in again[0]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_told_of_tapped_calls_is_told_of_imported_ones(place: Place, name: str) -> None:
    """report, list, show and diff work for the calls of every form."""
    place.read_stdout("import", SAMPLES / name)
    calls = json.loads(place.read_stdout("list", "--since", "all", "--json"))["calls"]
    assert f"import {SAMPLES / name}" in place.read_stdout("list", "--since", "all")
    assert "This session cost" in place.read_stdout("report", "--since", "all")
    assert place.read_stdout("report", "--since", "all", "--markdown").startswith("# What was sent")
    for call in (calls[0], calls[-1]):
        shown = place.read_stdout("show", call["id"])
        assert all(f"not recorded: {said}" in shown for said in call.get("missing", ()))
    told = place.read_stdout("diff", calls[0]["id"], calls[-1]["id"])
    unknown = {each for call in (calls[0], calls[-1]) for each in call.get("unknown", ())} - {"mark"}
    assert ("not compared" in told) == bool(unknown)


def test_transcripts_are_found_where_agents_keep_them(place: Place) -> None:
    """--claude-code and --codex take those of this project, sub-agents included, and of no other."""
    base = place.home / ".claude" / "projects"
    own = base / re.sub(r"[^A-Za-z0-9]", "-", str(place.garden))
    place.sample("claude-code.jsonl", own / "s.jsonl")
    place.sample("claude-code-agent.jsonl", own / "s" / "subagents" / "agent-1.jsonl")
    (base / "-elsewhere").mkdir()
    place.sample("claude-code-older.jsonl", base / "-elsewhere" / "t.jsonl")
    days = place.home / ".codex" / "sessions" / "2026" / "11" / "16"
    place.sample("codex.jsonl", days / "rollout-1.jsonl")
    (days / "rollout-2.jsonl").write_text((SAMPLES / "codex.jsonl").read_text())
    packed = place.sample("codex.jsonl", days / "packed.jsonl")
    (days / "rollout-3.jsonl.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    told = place.read_stdout("import", "--claude-code", "--codex")
    assert re.findall(r"^(\d+) calls? from .*/(\S+): ", told, re.MULTILINE) == [
        ("4", "s.jsonl"), ("1", "agent-1.jsonl"), ("3", "rollout-1.jsonl"),
        ("3", "rollout-3.jsonl.gz"),
    ]  # fmt: skip


def test_an_agents_own_variable_says_where_transcripts_are(place: Place) -> None:
    """CLAUDE_CONFIG_DIR and CODEX_HOME count."""
    moved = place.home / "moved"
    place.environ |= {"CLAUDE_CONFIG_DIR": str(moved), "CODEX_HOME": str(moved)}
    own = re.sub(r"[^A-Za-z0-9]", "-", str(place.garden))
    place.sample("claude-code.jsonl", moved / "projects" / own / "s.jsonl")
    place.sample("codex.jsonl", moved / "sessions" / "2026" / "rollout-1.jsonl")
    assert place.read_stdout("import", "--claude-code", "--codex").count(" from ") == 2


def test_without_transcripts_that_is_said(place: Place) -> None:
    """Nothing was read: the exit code says so, too."""
    code, out, err = place.run("import", "--codex")
    assert (code, out) == (1, "") and err.startswith("warning: Codex has no recorded session in ")


def test_files_of_a_whole_transcript_are_told_and_of_others_no_falsehood(place: Place) -> None:
    """A file in a whole request is attributed; of a log without the system prompt, none is said to be not sent."""
    place.read_stdout("import", place.sample("claude-code.jsonl", place.garden / "whole.jsonl"))
    assert "CLAUDE.md: whole, 1 line" in place.read_stdout("show")
    with_old = Place(place.garden)
    (with_old.garden / "CLAUDE.md").write_text("Never cut a rose before it is open, whatever the guests may say.\n")
    with_old.read_stdout("import", with_old.sample("claude-code-older.jsonl", with_old.garden / "old.jsonl"))
    shown = with_old.read_stdout("show")
    assert "CLAUDE.md: not sent" not in shown and "files that were not sent are unknown" in shown
    assert "the rest is the agent's own" not in shown
    assert with_old.run("show", "--text")[1:] == (
        "", "warning: The log that this call was imported from does not contain its system prompt.\n",
    )  # fmt: skip


def test_standard_input_is_a_log(place: Place) -> None:
    """`-` is standard input, also packed."""
    code, out, _ = place.run("import", "-", given=gzip.compress((SAMPLES / "codex.jsonl").read_bytes()))
    assert code == 0 and out.startswith("3 calls from standard input: 3 new")


def test_one_bad_log_does_not_stop_the_others(place: Place) -> None:
    """What is none is a line on standard error; the others are imported."""
    (place.garden / "page.html").write_text("<html></html>")
    code, out, err = place.run("import", "page.html", SAMPLES / "codex.jsonl", "gone.har")
    assert (code, out.startswith("3 calls from ")) == (0, True)
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["page.html", "gone.har"]
    assert "HAR (har), Claude Code's transcript (claude-code)" in err


def test_nothing_that_could_be_read_is_a_failure(place: Place) -> None:
    """Exit code 2, and why."""
    (place.garden / "page.html").write_text("<html></html>")
    code, out, err = place.run("import", "page.html")
    assert (code, out) == (2, "") and "unknown log format" in err and "). Supported formats: HAR (har)," in err


def test_a_folder_is_all_logs_below_it(place: Place) -> None:
    """Files that are no logs are counted, and nothing more is said of them."""
    (place.garden / "deep").mkdir()
    place.sample("codex.jsonl", place.garden / "deep" / "a")
    (place.garden / "notes.md").write_text("Roses.")
    code, out, err = place.run("import", place.garden)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("3 calls from ") and "2 files below" in out


def test_a_folder_without_files_says_so(place: Place) -> None:
    """There is nothing whose format could be unknown."""
    (place.garden / "empty").mkdir()
    assert place.run("import", "empty") == (1, "No files below empty.\n", "")


def test_an_import_without_logs_says_what_to_give(place: Place) -> None:
    """One line."""
    done = run("tap", "import", cwd=place.garden, **place.environ)
    assert_refused(done, "Pass a log", "--claude-code")


def test_a_form_that_is_none_is_refused(place: Place) -> None:
    """The forms are listed."""
    code, _, err = place.run("import", "--as", "pcap", SAMPLES / "codex.jsonl")
    assert code == 2 and "`har`" in err


def test_the_same_as_json(place: Place) -> None:
    """Scripts get figures."""
    (told,) = json.loads(place.read_stdout("import", "--json", SAMPLES / "mitmproxy.har"))
    assert (told["form"], told["calls"], told["new"], told["others"]) == ("har", 2, 2, 1)
    assert told["runs"] and os.path.basename(told["path"]) == "mitmproxy.har"


def test_the_program_may_be_named(place: Place) -> None:
    """What a HAR does not say, somebody who knows it may: then the agent's rules count."""
    place.read_stdout("import", "--program", "claude", SAMPLES / "mitmproxy.har")
    assert "CLAUDE.md: not sent, though the agent's known rules" in place.read_stdout("show")


def test_a_time_that_the_log_lacks_is_unknown(tmp_path: Path) -> None:
    """No view makes a year of it: the log has none."""
    asked = {"model": "claude-opus-5", "messages": [{"role": "user", "content": "Aye?"}]}
    entry = {
        "request": {
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages",
            "postData": {"text": json.dumps(asked)},
        },
        "response": {"status": 200, "content": {"text": json.dumps({"content": [], "stop_reason": "end_turn"})}},
    }
    (tmp_path / "calls.har").write_text(json.dumps({"log": {"entries": [entry]}}))
    store = ("--store", str(tmp_path / "calls.sqlite"))
    assert run("tap", "import", str(tmp_path / "calls.har"), *store).returncode == 0
    for command, words in (
        ("list", "  unknown  claude-opus-5"),
        ("report", "started unknown"),
        ("show", "at an unknown time"),
    ):
        said = run("tap", command, *store, TZ="UTC")
        shown = said.stdout + said.stderr
        assert words in shown and "1970" not in shown, command


@pytest.mark.parametrize("command", ["export", "report"])
def test_an_output_never_replaces_the_recording(place: Place, command: str) -> None:
    """A slip in -o, also through a link, leaves the store as it is."""
    place.read_stdout("import", SAMPLES / "mitmproxy.har", "--store", "calls.sqlite")
    store = place.garden / "calls.sqlite"
    before = store.read_bytes()
    (place.garden / "linked").symlink_to(store)
    for output in ("./calls.sqlite", "linked"):
        code, out, err = place.run(command, "--store", "calls.sqlite", "-o", output)
        assert (code, out) == (2, "") and "is the store itself" in err
    assert store.read_bytes() == before and (place.garden / "linked").is_symlink()
