"""action.yml and .pre-commit-hooks.yaml, with their steps run as a runner of GitHub runs them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from overture.known_agents.file_owners import INSTRUCTIONS
from tests.contract.changes.runner import ACTION, PROJECT, FakeGitHub, Runner
from tests.contract.discovery.repository import Repo

SECRET = "kept-from-strangers"
ATTACK = (
    "Hello @octocat and @org/team\n```\n</details><img src=x onerror=alert(1)>\n[a](https://evil.example)\n"
    "::error::broken out\n<!-- overture action -->\n~~~\n#1 https://evil.example\n"
)


@pytest.fixture
def github(tmp_path: Path) -> FakeGitHub:
    """What `gh` asks."""
    return FakeGitHub(tmp_path / "github")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with AGENTS.md."""
    made = Repo(tmp_path / "p")
    made.commit("First", {"AGENTS.md": "Use tabs.\n"})
    return made


def compare(runner: Runner, files: dict[str, str | bytes | None]) -> "subprocess.CompletedProcess[str]":
    """Run the step that reports, of a pull request with these files."""
    before = runner.repo.git("rev-parse", "HEAD")
    runner.request(before, runner.repo.commit("Second", files))
    return runner.run("Check and compare")


@pytest.mark.slow
def test_a_report_for_each_agent(repo: Repo, tmp_path: Path) -> None:
    """The summary and the output file have the tokens of each agent before and after, and the lines that differ."""
    runner = Runner(repo, tmp_path / "job", {"agents": "codex, claude-code"})
    done = compare(runner, {"AGENTS.md": "Use spaces.\n", "CLAUDE.md": "Be kind to all who ask.\n"})
    assert (done.returncode, done.stderr) == (0, "")
    rows = re.findall(r"^\| ([\w ]+) \| ([\d,]+) → ([\d,]+) \| \+?(-?\d+) \|", runner.report, re.M)
    assert [row[0] for row in rows] == ["Codex", "Claude Code"]
    assert all(int(after) - int(before) == int(change) for _, before, after, change in rows)
    assert "-Use tabs.\n+Use spaces.\n" in runner.report and "`CLAUDE.md`" in runner.report
    assert runner.report.count("Use spaces.") == 1
    assert "Passed: `overture check`." in runner.report and "lock" not in runner.report
    assert (runner.temp / "summary").read_text("utf-8") == runner.report


@pytest.mark.slow
def test_a_hostile_pull_request(repo: Repo, tmp_path: Path) -> None:
    """No code of it runs, no file outside is read, no variable is told, and none of its text becomes markup."""
    runner = Runner(repo, tmp_path / "job")
    runner.variables["DEPLOY_KEY"] = SECRET
    for path in (runner.home / ".codex" / "AGENTS.md", runner.home / ".claude" / "CLAUDE.md", tmp_path / "outside.md"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(SECRET, "utf-8")
    (repo.folder / "GEMINI.md").symlink_to(tmp_path / "outside.md")
    code = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    done = compare(runner, {
        "AGENTS.md": ATTACK + "x" * 200_000,
        "CLAUDE.md": f"@{tmp_path}/outside.md\n@~/.codex/AGENTS.md\n$DEPLOY_KEY ${{DEPLOY_KEY}}\n",
        "a<b>@octocat/AGENTS.md": ATTACK,
        ".mcp.json": json.dumps({"mcpServers": {"a": {"command": "touch", "args": [str(tmp_path / "ran")]}}}),
        ".claude/skills/@octocat <b>/SKILL.md": "---\nname: '@octocat [a](b)'\ndescription: |\n  ::error::x\n---\n",
        **dict.fromkeys(("pip.py", "json.py", "overture/__init__.py", "sitecustomize.py"), code),
    })  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    assert not (tmp_path / "ran").exists()
    assert SECRET not in runner.report + done.stdout + done.stderr
    assert len(runner.report) <= 65_536 and "Codex" in runner.report and "octocat" in runner.report
    assert_no_markup(runner.report)
    before_stop = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert "::error::broken out" not in before_stop and "::error::x" not in before_stop


@pytest.mark.slow
def test_home_is_not_checked(repo: Repo, tmp_path: Path) -> None:
    """A file under home is no part of the check, even if the recipe of the pull request reads it."""
    runner = Runner(repo, tmp_path / "job", {"agents": "codex", "fail-on": "warning"})
    (runner.home / ".claude").mkdir()
    (runner.home / ".claude" / "CLAUDE.md").write_text("Hi\u200b\U000e0041 there.\n", "utf-8")
    done = compare(runner, {"overture.toml": 'recipe = "claude-code"\n'})
    assert (done.returncode, done.stderr) == (0, "")
    assert ".claude" not in done.stdout + runner.report


def assert_no_markup(text: str) -> None:
    """All words of a stranger are in code: no link, picture, mention or HTML is left."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    kinds = {child.type for token in tokens for child in [token, *(token.children or [])]}
    assert not kinds & {"link_open", "image", "html_inline"}
    plain = [t.content for token in tokens for t in (token.children or []) if t.type == "text"]
    assert not [each for each in plain if "@" in each or "http" in each or "#1" in each]
    html = "".join(token.content for token in tokens if token.type == "html_block")
    html = re.sub(r"<code>[^<]*</code>|</?details>|</?summary>|<!-- overture action \w+ -->", "", html)
    assert "<" not in html and "@" not in html


@pytest.mark.slow
def test_the_lock_fails_the_job(repo: Repo, tmp_path: Path) -> None:
    """A prompt that is not as locked is exit code 1, unless `fail-on` is `never`; the report is written either way."""
    lock = [sys.executable, "-m", "overture", "lock", "codex"]
    subprocess.run(lock, cwd=repo.folder, check=True, capture_output=True)
    for fail_on, code in (("error", 1), ("never", 0)):
        runner = Runner(repo, tmp_path / fail_on, {"agents": "codex", "fail-on": fail_on})
        assert compare(runner, {"AGENTS.md": f"Moved by {fail_on}.\n"}).returncode == code
        assert "Found problems: `overture lock --check`." in runner.report


@pytest.mark.slow
def test_what_can_not_be_compared(repo: Repo, tmp_path: Path) -> None:
    """An agent that nobody knows is said in the report, and a commit or folder that is missing an error: code 2."""
    runner = Runner(repo, tmp_path / "a", {"agents": "codxe"})
    assert compare(runner, {"AGENTS.md": "Moved.\n"}).returncode == 2
    assert "Can't compare: `'codxe' is neither an agent" in runner.report
    missing_commits = Runner(repo, tmp_path / "c")
    missing_commits.request("1" * 40, "2" * 40)
    missing = missing_commits.run("Check and compare")
    assert missing.returncode == 2 and "error: " in missing.stderr and "Traceback" not in missing.stderr
    (repo.folder / "services").symlink_to(tmp_path)
    outside = Runner(repo, tmp_path / "b", {"working-directory": "services"})
    refused = compare(outside, {})
    assert refused.returncode == 2 and "is not a folder of the checkout" in refused.stderr


def commented(runner: Runner, github: FakeGitHub) -> str:
    """Run the step that comments; its one line."""
    runner.variables["PATH"] = f"{github.folder}/bin:{os.environ['PATH']}"
    done = runner.run("Comment")
    assert (done.returncode, done.stderr) == (0, "")
    [line] = done.stdout.splitlines()
    return line


@pytest.fixture
def ready(repo: Repo, tmp_path: Path) -> Runner:
    """A job of which the report is written."""
    runner = Runner(repo, tmp_path / "job", {"token": "t0ken", "agents": "codex"})
    first = repo.git("rev-parse", "HEAD")
    runner.request(first, first)
    (runner.temp / "report.md").write_text("<!-- overture action 123 -->\n\nOne.\n", "utf-8")
    (runner.temp / "output").write_text(f"file={runner.temp / 'report.md'}\n", "utf-8")
    return runner


@pytest.mark.slow
def test_one_comment(ready: Runner, github: FakeGitHub) -> None:
    """The first run posts a comment, the next one writes it anew, also behind many; a stranger's copy is left alone."""
    copy = {"body": ready.report, "user": {"type": "User"}, "author_association": "NONE"}
    others: list[dict[str, object]] = [{"id": number + 1, **copy} for number in range(150)]
    others[0] |= {"user": None}
    others[1] |= {"body": None, "author_association": "MEMBER"}
    github.comments = others
    assert commented(ready, github) == "Comment written."
    ready.file.write_text(ready.report.replace("One", "Two"), "utf-8")
    assert commented(ready, github) == "Comment updated."
    assert [each["body"] for each in github.comments[150:]] == [ready.report]
    assert github.comments[:150] == others
    assert {token for _, token, _ in github.requests} == {"t0ken"}
    assert {folder for _, _, folder in github.requests} == {"/"}
    list_all = ["api", "--paginate", "repos/o/r/issues/7/comments?per_page=100"]
    body = ["--field", f"body=@{ready.file}"]
    assert [words for words, _, _ in github.requests] == [
        list_all, ["api", "--method", "POST", "repos/o/r/issues/7/comments", *body],
        list_all, ["api", "--method", "PATCH", "repos/o/r/issues/comments/151", *body],
    ]  # fmt: skip


@pytest.mark.slow
def test_github_refuses(ready: Runner, github: FakeGitHub) -> None:
    """A refusal is one line, and the job goes on; so is a runner without `gh`."""
    github.refuse("gh: Resource not accessible by integration (HTTP 403)")
    assert commented(ready, github).startswith("No comment: gh: Resource not accessible by integration (HTTP 403)")
    assert len(github.requests) == 1


@pytest.mark.parametrize("head", ["stranger/r", None])
def test_a_fork_sends_nothing(ready: Runner, github: FakeGitHub, head: str | None) -> None:
    """Of a pull request from a fork, or from one that is deleted, nothing is sent."""
    ready.request("1" * 40, "2" * 40, head=head)
    assert commented(ready, github).startswith("No comment: the pull request comes from a fork.")
    assert github.requests == []


def test_the_token_is_for_one_step() -> None:
    """Only the step that comments has the token; it runs only with one, and no step has an expression in its shell."""
    steps = ACTION["runs"]["steps"]
    assert [step["name"] for step in steps if "inputs.token" in json.dumps(step["env"])] == ["Comment"]
    assert "inputs.token != ''" in steps[-1]["if"] and ACTION["inputs"]["token"]["default"] == ""
    assert [step["name"] for step in steps if "${{" in step["run"]] == []


def test_the_schema_of_actions() -> None:
    """action.yml is what GitHub takes, and pre-commit's hooks are what pre-commit takes."""
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml"]
    done = subprocess.run(check, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    check = [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"]
    done = subprocess.run(check, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_hooks_run_for_files_of_agents() -> None:
    """Each file that an agent is known to read has the hooks run, and so do skills and Overture's own files."""
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    own = ("overture.toml", "overture.lock", ".claude/skills/a/SKILL.md", "docs/AGENTS.md", ".mcp.json")
    for hook in hooks:
        pattern = re.compile(hook["files"])
        assert [path for path in (*INSTRUCTIONS, *own) if not pattern.search(path.replace("*", "a"))] == []
        assert not pattern.search("src/main.py")
