"""`overture diff` of two revisions of git, or one and the working tree, run as people run it."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ..discovery.disk import put
from ..discovery.repository import WHO, Repo
from .run import assert_refused, run

SKILL = "---\nname: {}\ndescription: {}\n---\n{}\n"
RULES = "".join(f"- Rule number {number} about cranes, quays and the tides of the harbor.\n" for number in range(600))
"""More than the 32,768 bytes that Codex loads."""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository of two commits: lines changed at both ends of a file that Codex cuts, a file that is hidden."""
    made = Repo(tmp_path / "p")
    made.commit("First", {"AGENTS.md": f"Use tabs.\n{RULES}", "CLAUDE.md": "@AGENTS.md\nBe kind.\n"})
    made.commit("Second", {
        "AGENTS.md": f"Use spaces.\n{RULES}- The last rule.\n",
        "docs/AGENTS.md": "In the docs.\n",
        ".agents/skills/tides/SKILL.md": SKILL.format("tides", "Know the tides.", "Body."),
    })  # fmt: skip
    return made


def diff(repo: Repo, *words: str | Path, cwd: str = "", **environment: str) -> Any:
    home = repo.folder.parent / "home"
    home.mkdir(exist_ok=True)
    alone = {name: value for name, value in WHO.items() if name.startswith("GIT_CONFIG")}
    # The estimate is there at once; a tokenizer takes longer to load than all the rest.
    how = ("--home", home, "--tokenizer", "estimate")
    return run("diff", *words, *how, cwd=repo.folder / cwd, **alone, **environment)


def told(repo: Repo, *words: str | Path, cwd: str = "") -> str:
    result = diff(repo, *words, cwd=cwd)
    assert (result.returncode, result.stderr) == (0, "")
    text: str = result.stdout
    return text


def data(repo: Repo, *words: str | Path, cwd: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(repo, *words, "--json", cwd=cwd))
    return found


def lines(agent: dict[str, Any]) -> list[tuple[str, str, int, str]]:
    return [(each["path"], each["change"], each["line"], each["when"]) for each in agent["lines"]]


def test_a_line_that_an_agent_never_gets(repo: Repo) -> None:
    """Of the lines that changed, each agent's own are told; one behind its limit never reaches it, and why."""
    found = data(repo, "HEAD~1..HEAD")
    assert list(found["agents"]) == ["claude-code", "codex", "copilot-cli", "cursor"]
    ends = [("AGENTS.md", "removed", 1, "start"), ("AGENTS.md", "added", 1, "start")]
    assert lines(found["agents"]["cursor"]) == [*ends, ("AGENTS.md", "added", 602, "start")]
    assert lines(found["agents"]["codex"]) == [*ends, ("AGENTS.md", "added", 602, "never")]
    last = found["agents"]["codex"]["lines"][-1]
    cut = found["agents"]["codex"]["lines"][-1]["reason"]["args"][1]
    assert last["text"] == ["- The last rule."]
    assert last["why"] == f"its limit ends at line {cut}" and 400 < cut < 500
    assert not any("prompt" in json.dumps(each["files"]) for each in found["agents"].values())


def test_files_that_arrive_and_that_never_do(repo: Repo) -> None:
    """A new skill is listed now, a new AGENTS.md is hidden from Claude Code, and Cursor gets it when it works there."""
    found = data(repo, "HEAD~1..HEAD")["agents"]
    files = {
        name: {each["path"]: (each["change"], (each["after"] or {}).get("how")) for each in agent["files"]}
        for name, agent in found.items()
    }
    assert files["cursor"][".agents/skills/tides/SKILL.md"] == ("added", "listed")
    assert files["cursor"]["docs/AGENTS.md"] == ("added", "on_demand")
    assert files["claude-code"]["docs/AGENTS.md"] == ("skipped", "skipped")
    hidden = next(each for each in found["claude-code"]["files"] if each["path"] == "docs/AGENTS.md")
    assert (hidden["after"]["reason"]["code"], hidden["after"]["reason"]["path"]) == ("hidden", "CLAUDE.md")
    back = data(repo, "HEAD", "HEAD~1")["agents"]["cursor"]["files"]
    assert {each["path"]: each["change"] for each in back} == {
        "docs/AGENTS.md": "removed", ".agents/skills/tides/SKILL.md": "removed",
    }  # fmt: skip


def test_tokens_are_those_of_the_raw_text(repo: Repo) -> None:
    """Before and after are what `overture agents` counts there; an agent's own prompt is in neither."""
    found = data(repo, "HEAD~1..HEAD")["agents"]["cursor"]
    words = ("--home", repo.folder.parent / "home", "--tokenizer", "estimate", "--json")
    report = json.loads(run("agents", "cursor", *words, cwd=repo.folder).stdout)["agents"][0]
    assert found["after"] == report["tokens"]


def test_findings_that_the_change_adds(repo: Repo) -> None:
    """What never arrives now is a new finding; backwards it is gone."""
    found = data(repo, "HEAD~1..HEAD")["findings"]
    added = {(each["code"], each["paths"][0]): each["message"] for each in found["added"]}
    assert added["never-arrives", "docs/AGENTS.md"].startswith("docs/AGENTS.md never reaches ")
    assert found["removed"] == []
    back = data(repo, "HEAD", "HEAD~1")["findings"]
    assert (back["added"], len(back["removed"])) == ([], len(found["added"]))


def test_a_new_file_of_a_known_cause_is_told_alone(repo: Repo) -> None:
    """A finding that names more files than before is told of the new ones."""
    repo.commit("Third", {"api/AGENTS.md": "In the API.\n"})
    added = data(repo, "HEAD~1..HEAD")["findings"]["added"]
    assert {path for each in added for path in each["paths"]} == {"api/AGENTS.md"}


def test_two_revisions_for_a_person(repo: Repo) -> None:
    """Tokens of each agent, files, each changed line once with who never gets it, and findings; no path of here."""
    out = told(repo, "HEAD~1", "HEAD")
    assert re.match(r"HEAD~1 \([0-9a-f]{7}\) First → HEAD \([0-9a-f]{7}\) Second\n", out)
    assert re.search(r"\n  Claude Code +~[\d,]+ → ~[\d,]+ +~\+\d+\n", out)
    assert "\n  AGENTS.md:1\n    -Use tabs.\n    +Use spaces.\n" in out
    assert out.count("+- The last rule.") == 1
    assert re.search(r"\+- The last rule\.\n    Codex never gets this line: its limit ends at line \d+\n", out)
    assert re.search(r"\n  new +never-arrives +docs/AGENTS.md never reaches ", out)
    assert str(repo.folder) not in out


def test_nothing_different_is_one_line(repo: Repo) -> None:
    """Code that no agent loads changes nothing, and --exit-code is 0; else it is 1."""
    repo.commit("Third", {"src/main.py": "print()\n"})
    out = told(repo, "HEAD~1..HEAD", "--exit-code")
    assert re.fullmatch(r"Claude Code, Codex, .+ get the same in HEAD~1 \(\w{7}\) and HEAD \(\w{7}\)\.\n", out)
    assert told(repo, "HEAD").endswith(" and the working tree.\n")
    assert diff(repo, "HEAD~2..HEAD", "--exit-code").returncode == 1
    assert diff(repo, "HEAD~2..HEAD").returncode == 0


@pytest.mark.parametrize(
    "path",
    [
        "docs/style.md", "CLAUDE.md", ".claude/rules/new.md", ".claude/skills/new/SKILL.md", ".claude/agents/new.md",
        "api/CLAUDE.md", "api/.claude/skills/new/SKILL.md", ".claude/settings.json", ".claude/commands/new/one.md",
    ],
)  # fmt: skip
def test_each_kind_of_file_that_an_agent_loads_is_seen(repo: Repo, path: str) -> None:
    """What it imports, and what is new in a folder that it lists or begins to: nothing passes for the same."""
    repo.commit("Import", {"CLAUDE.md": "@docs/style.md\n", "docs/style.md": "Short.\n", "api/x.py": ""})
    settings = '{"claudeMdExcludes": ["**/CLAUDE.md"]}'
    text = settings if path.endswith(".json") else SKILL.format("new", "It is new.", "Be new.")
    repo.commit("New", {path: text})
    assert data(repo, "claude-code", "HEAD~1..HEAD")["same"] is False
    assert data(repo, "claude-code", "HEAD", "HEAD~1")["same"] is False


def test_what_only_one_user_has_does_not_count(repo: Repo) -> None:
    """Neither home, nor what git ignores; what is not committed and git would take counts."""
    put(repo.folder.parent / "home/.claude/CLAUDE.md", "Mine.\n")
    put(repo.folder.parent / "home/.codex/AGENTS.md", "Mine.\n")
    repo.commit("Ignore", {".gitignore": "CLAUDE.local.md\nCLAUDE.md\n"})
    put(repo.folder / "CLAUDE.local.md", "Mine alone.\n")
    assert data(repo, "HEAD")["same"] is True
    repo.write({"AGENTS.md": f"Use blanks.\n{RULES}- The last rule.\n", "GEMINI.md": "New.\n"})
    found = data(repo, "HEAD")
    assert found["after"] == {"name": "working tree", "commit": None, "subject": "", "why": ""}
    assert lines(found["agents"]["codex"]) == [("AGENTS.md", "removed", 1, "start"), ("AGENTS.md", "added", 1, "start")]
    assert "gemini-cli" in found["agents"]  # in use now


def test_agents_that_are_named(repo: Repo) -> None:
    """Agents before the revisions are compared alone, whether they are in use or not."""
    assert list(data(repo, "codex", "zed", "HEAD~1..HEAD")["agents"]) == ["codex", "zed"]
    assert_refused(diff(repo, "codxe", "HEAD~1..HEAD"), "'codxe' is neither an agent", "exists: `codex`")
    assert_refused(diff(repo, "codex", "opal", "HEAD~1..HEAD"), "'opal' is no agent", "one recipe")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["HEAD~1..HEAD"], ("HEAD~1", "HEAD")),
        (["HEAD~1.."], ("HEAD~1", "HEAD")),
        (["..side"], ("HEAD", "side")),
        (["main...side"], ("merge base of main and side", "side")),
        (["main", "side"], ("main", "side")),
        (["v1", "HEAD"], ("v1", "HEAD")),
        (["@^", "@"], ("@^", "@")),
        (["opal..pi"], ("opal", "pi")),
    ],
)
def test_ways_to_name_two(repo: Repo, words: list[str], names: tuple[str, str]) -> None:
    """Ranges, the point at which two branches parted, branches, tags and ancestors are named as for git."""
    repo.git("tag", "v1", "HEAD~1")
    for branch in ("side", "opal", "pi"):
        repo.git("branch", branch, "HEAD~1")
    found = data(repo, *words)
    assert (found["before"]["name"], found["after"]["name"]) == names


@pytest.mark.slow
def test_a_folder_that_one_revision_has_not(repo: Repo) -> None:
    """In a folder that is new, all of it arrives; in neither, that is one line."""
    repo.commit("Service", {"services/x/AGENTS.md": "In the service.\n"})
    found = data(repo, "HEAD~1", "HEAD", "--cwd", "services/x")
    assert "does not exist" in found["before"]["why"]
    assert "services/x/AGENTS.md" in {each["path"] for each in found["agents"]["cursor"]["files"]}
    assert found["agents"]["cursor"]["before"] == 0
    assert_refused(diff(repo, "HEAD~2", "HEAD~1", "--cwd", "services/x"), "Neither side", "services/x")


def test_a_file_is_told_of_its_own_folder(repo: Repo) -> None:
    """Codex reads it only where it is started there, and the root is not said to."""
    repo.commit("Short", {"AGENTS.md": "Short.\n", "CLAUDE.md": None})
    repo.commit("Service", {"services/x/AGENTS.md": "One.\n"})
    repo.commit("Service", {"services/x/AGENTS.md": "Two.\n"})
    (new,) = data(repo, "codex", "HEAD~2..HEAD~1")["agents"]["codex"]["files"]
    assert (new["path"], new["starts"], new["change"]) == ("services/x/AGENTS.md", ["services/x"], "added")
    assert [each[0] for each in lines(data(repo, "codex", "HEAD~1..HEAD")["agents"]["codex"])] == [
        "services/x/AGENTS.md", "services/x/AGENTS.md",
    ]  # fmt: skip


@pytest.mark.slow
def test_through_a_link_and_from_a_worktree(repo: Repo, tmp_path: Path) -> None:
    """A link above the repository changes nothing, and neither does a worktree of it."""
    (tmp_path / "link").symlink_to(repo.folder)
    expected = data(repo, "HEAD~1..HEAD")
    assert data(repo, "HEAD~1..HEAD", "--cwd", tmp_path / "link") == expected
    repo.git("worktree", "add", "-q", "--detach", tmp_path / "tree")
    found = data(repo, "HEAD~1..HEAD", "--cwd", tmp_path / "tree")
    assert found["agents"] == expected["agents"]
    put(tmp_path / "tree/AGENTS.md", "Other.\n")
    assert data(repo, "HEAD", "--cwd", tmp_path / "tree")["same"] is False


@pytest.mark.slow
def test_a_submodule_is_noted(repo: Repo, tmp_path: Path) -> None:
    """What is in a submodule is not compared in silence; in it, it is a repository of its own."""
    other = Repo(tmp_path / "other")
    other.commit("First", {"moor/SKILL.md": SKILL.format("moor", "Moor.", ""), "AGENTS.md": "Its own.\n"})
    repo.git("submodule", "add", "-q", str(other.folder), ".github/skills")
    repo.commit("Submodule")
    out = told(repo, "copilot-cli", "HEAD~1", "HEAD")
    assert "Note: .github/skills is a submodule: in HEAD it is treated as empty." in out
    put(repo.folder / ".github/skills/AGENTS.md", "Changed.\n")
    assert data(repo, "codex", "HEAD", "--cwd", repo.folder / ".github/skills")["same"] is False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["HEAD~1", "maim"], ["'maim'", "neither a recipe", "as a revision it names no commit", "exists: `main`"]),
        (["HEAD", "opal"], ["'opal' is a recipe or a file, and 'HEAD' is not", "HEAD..opal"]),
        (["opal"], ["AFTER is missing", "'opal'"]),
        (["HEAD~9"], ["'HEAD~9'", "no such ancestor"]),
        (["HEAD..nowhere"], ["'nowhere' names no commit"]),
        (["HEAD~1..HEAD", "main"], ["'HEAD~1..HEAD' is a range", "Pass only the range"]),
        (["HEAD", "HEAD", "HEAD"], ["3 names"]),
        (["../a.json", "../b.json"], ["'../a.json' is neither a recipe", "nor a file"]),
        (["main", "HEAD", "--no-discover"], ["--no-discover"]),
        (["opal", "pi", "--markdown"], ["--markdown needs two git revisions"]),
        (["HEAD", "--json", "--markdown"], ["`--json` and `--markdown`"]),
        (["HEAD~1", "HEAD", "--cwd", "/"], ["Not a git repository"]),
        (["--", "--help", "HEAD"], ["'--help'"]),
    ],
)
def test_bad_usage_is_one_clear_line(repo: Repo, words: list[str], said: list[str]) -> None:
    """A name that is nothing, two of different kinds, and options that do not go together end with one line."""
    how = ["--home", str(repo.folder.parent)] if "--" not in words else []
    assert_refused(run("diff", *words, *how, cwd=repo.folder), *said)


@pytest.mark.slow
def test_no_commits_no_repository_and_a_bare_one(repo: Repo, tmp_path: Path) -> None:
    """Each is said on one line."""
    assert_refused(diff(Repo(tmp_path / "q"), "HEAD"), "no commits yet")
    (tmp_path / "r").mkdir()
    assert_refused(run("diff", "HEAD~1", "HEAD", cwd=tmp_path / "r"), "Not a git repository")
    repo.git("clone", "-q", "--bare", str(repo.folder), tmp_path / "bare")
    assert_refused(run("diff", "HEAD~1", "HEAD", cwd=tmp_path / "bare"), "Not a git repository")


@pytest.mark.slow
def test_shallow_and_partial_clones(repo: Repo, tmp_path: Path) -> None:
    """What a clone does not have is named with what brings it; nothing is compared with what is missing."""
    repo.git("branch", "side", "HEAD~1")
    repo.git("checkout", "-q", "side")
    repo.commit("Aside", {"GEMINI.md": "Aside.\n"})
    repo.git("checkout", "-q", "main")
    repo.git("config", "uploadpack.allowFilter", "true")
    for name, how in (("shallow", "--depth=1"), ("partial", "--filter=blob:none")):
        repo.git("clone", "-q", how, "--no-single-branch", f"file://{repo.folder}", tmp_path / name)
    shallow, partial = (diff(repo, "HEAD~1", "HEAD", "--cwd", tmp_path / name) for name in ("shallow", "partial"))
    assert_refused(shallow, "'HEAD~1'", "shallow clone", "fetch-depth: 0")
    assert_refused(partial, "HEAD~1: this clone does not have", "'AGENTS.md'", "nothing is fetched", "git show ")
    base = diff(repo, "main...origin/side", "--cwd", tmp_path / "shallow")
    assert_refused(base, "no common commit", "shallow clone", "git fetch --unshallow")


def outside(markdown: str) -> str:
    """What of a comment is not in a fence or a code span."""
    text = re.sub(r"^(`{3,})diff\n.*?\n\1$", "FENCE", markdown, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<code>[^<]*</code>", "CODE", text)
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "CODE", text)


def test_a_comment_for_a_pull_request(repo: Repo) -> None:
    """The Markdown has a mark, a table of agents, what never arrives, findings, and the lines folded away, once."""
    out = told(repo, "HEAD~1", "HEAD", "--markdown")
    assert out.startswith("<!-- overture diff -->\n\n### What agents read: `HEAD~1 (")
    assert re.search(r"\n\| Codex \| ~[\d,]+ → ~[\d,]+ \| ~\+\d+ \|\n", out)
    assert re.search(r"\n- Codex: line `AGENTS.md:602`: `its limit ends at line \d+`\n", out)
    assert "\n**New findings**\n\n- never-arrives: `docs/AGENTS.md never reaches " in out
    folded = "<details><summary><code>AGENTS.md</code> changed lines</summary>\n\n```diff\n@@ AGENTS.md:1 @@\n"
    assert folded + "-Use tabs.\n+Use spaces.\n@@ AGENTS.md:602 @@\n+- The last rule.\n```\n\n</details>" in out
    assert out.count("The last rule") == 1
    same = told(repo, "HEAD", "HEAD", "--markdown")
    assert same.endswith("\n\nNo agent gets anything else.\n")


@pytest.mark.slow
def test_text_of_the_repository_stays_in_its_fence(repo: Repo) -> None:
    """Fences, tags, links, mentions and strokes in files, names and messages can't break out of the comment."""
    evil = "```\n</details>\n````\n~~~\n<img src=x>\n@everyone\n[a](http://x)\n ```\n| a | b |\n\u202ereversed\n"
    repo.commit("Before", {"AGENTS.md": "One.\n", "a`|`<b>@x/AGENTS.md": "One.\n"})
    name = ".agents/skills/a`|`<b>@x/SKILL.md"
    repo.commit("`<b>` | @all\n", {
        "AGENTS.md": evil, name: SKILL.format("a`|`\\<b>@x", "d", ""), "a`|`<b>@x/AGENTS.md": "Two.\n",
    })  # fmt: skip
    out = told(repo, "HEAD~1", "HEAD", "--markdown")
    bare = outside(out)
    for word in ("everyone", "img", "http", "reversed", "@x", "<b>", "@all"):
        assert word in out or word == "@all"
        assert word not in bare
    assert bare.count("</details>") == bare.count("<details>")
    assert "\u202e" not in out
    for row in [line for line in bare.splitlines() if line.startswith("| ")]:
        assert row.count("|") in (4, 5)


@pytest.mark.slow
def test_a_comment_is_never_longer_than_github_takes(repo: Repo) -> None:
    """A long difference is cut at a line, folds and fences are closed, and it is said."""
    rows = [f"Line {n} \U0001f6a2 of many that nobody will ever read in a comment." for n in range(3000)]
    files: dict[str, str | bytes | None] = {"AGENTS.md": "\n".join(rows)}
    files |= {f".agents/skills/s{n}/SKILL.md": SKILL.format(f"s{n}", "d" * 500, "") for n in range(200)}
    repo.commit("Long", files)
    out = told(repo, "HEAD~1", "HEAD", "--markdown").rstrip("\n")
    assert len(out.encode("utf-16-le")) // 2 <= 65_536
    assert len(out) > 40_000
    assert "dropped or truncated: the limit of GitHub is 65,536 characters. `overture diff` shows all." in out
    bare = outside(out)
    assert bare.count("<details>") == bare.count("</details>")
    assert rows[-1] in told(repo, "HEAD~1", "HEAD")


@pytest.mark.slow
def test_a_damaged_repository_is_one_line(repo: Repo) -> None:
    """Folders and commits that no git would write end with one line, or count as unreadable."""
    made = [b"100644 AGENTS.md\0short", b"99 x\0" + b"a" * 20, b"no tree", b""]
    for number, content in enumerate(made):
        put(repo.folder / "object", content)
        tree = repo.git("hash-object", "-t", "tree", "--literally", "-w", "object")
        put(repo.folder / "commit", f"tree {tree}\nauthor A <a@b> 0 +0000\ncommitter A <a@b> 0 +0000\n\nBad\n")
        commit = repo.git("hash-object", "-t", "commit", "--literally", "-w", "commit")
        repo.git("update-ref", f"refs/heads/bad{number}", commit)
        result = diff(repo, f"bad{number}", "HEAD")
        assert result.returncode in (0, 2)
        assert "Traceback" not in result.stderr
        assert result.stderr.count("error: ") <= 1
    put(repo.folder / "commit", "nothing\n\nBad\n")
    worse = repo.git("hash-object", "-t", "commit", "--literally", "-w", "commit")
    put(repo.folder / ".git/refs/heads/worse", f"{worse}\n")
    assert_refused(diff(repo, "worse", "HEAD"), "'worse'")


@pytest.mark.slow
def test_a_hook_s_variables_do_not_lead_astray(repo: Repo, tmp_path: Path) -> None:
    """Inside a hook of another repository, the folder counts."""
    other = Repo(tmp_path / "other")
    other.commit("x")
    result = diff(repo, "HEAD~1", "HEAD", "--json", GIT_DIR=str(other.folder / ".git"), GIT_WORK_TREE=os.sep)
    assert json.loads(result.stdout)["root"] == str(repo.folder)


@pytest.mark.slow
def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Branches and folders whose names are other bytes are shown as far as they are text."""
    repo = Repo(tmp_path / os.fsdecode(b"p\xe9"))
    repo.commit("First", {"AGENTS.md": "One.\n"})
    name = os.fsdecode(b"caf\xe9")
    repo.git("branch", name)
    repo.commit("Second", {"AGENTS.md": "Two.\n", os.fsdecode(b"d\xe9/AGENTS.md"): "There.\n"})
    found = data(repo, name, "HEAD")
    assert found["before"]["name"] == "caf\ufffd"
    assert {each["path"] for each in found["agents"]["codex"]["lines"]} == {"AGENTS.md"}
    assert "caf\ufffd" in told(repo, name, "--markdown")


@pytest.mark.slow
def test_a_file_outside_that_a_revision_begins_to_name_is_not_read(repo: Repo) -> None:
    """Neither through a link, nor by a setting."""
    put(repo.folder.parent / "home/.netrc", "machine x login CANARY\n")
    (repo.folder / "TEAM.md").symlink_to("../home/.netrc")
    names = ["TEAM.md", "../home/.netrc", "~/.netrc"]
    repo.commit("Third", {".gemini/settings.json": json.dumps({"context": {"fileName": names}})})
    for words in (["--json"], ["--markdown"], []):
        assert "CANARY" not in told(repo, "gemini-cli", "HEAD~1..HEAD", *words)


@pytest.mark.slow
def test_forty_thousand_files(repo: Repo) -> None:
    """A large repository is compared, and what no agent loads is not looked at."""
    for number in range(400):
        folder = repo.folder / f"src/{number}"
        folder.mkdir(parents=True)
        for name in range(100):
            (folder / f"{name}.py").touch()
    repo.commit("Many", {"src/7/AGENTS.md": "In seven.\n"})
    found = data(repo, "cursor", "HEAD~1..HEAD")["agents"]["cursor"]
    assert [each["path"] for each in found["files"]] == ["src/7/AGENTS.md"]


# A recipe of one's own


def changes(found: dict[str, Any]) -> dict[str, str]:
    return {block["name"]: block["change"] for block in found["blocks"] if block["change"] != "same"}


def test_the_prompt_of_a_recipe(repo: Repo) -> None:
    """With a recipe, its prompt is compared by section, as data, for a person and as Markdown."""
    found = data(repo, "opal", "HEAD~1..HEAD")
    assert changes(found)["project-context"] == "changed"
    assert found["recipes"] == ["opal", "opal"]
    out = told(repo, "opal", "HEAD~1..HEAD")
    assert "project-context  changed  because context_files changed" in out and "  +Use spaces." in out
    comment = told(repo, "opal", "HEAD~1..HEAD", "--markdown")
    assert "\n| `project-context` | changed | `context_files` |\n" in comment
    assert diff(repo, "opal", "HEAD~1..HEAD", "--exit-code").returncode == 1
    assert diff(repo, "opal", "HEAD..HEAD", "--exit-code").returncode == 0


def test_the_recipe_of_the_project(repo: Repo) -> None:
    """The one that overture.toml names is compared, in whichever revision it does; its file is each revision's own."""
    recipe = 'extends = "opal"\n[[sections]]\nname = "team"\ntext = "{}"\n'
    repo.commit("One", {"overture.toml": 'recipe = "team.toml"\n', "team.toml": recipe.format("One.")})
    repo.commit("Two", {"team.toml": recipe.format("Two.")})
    assert changes(data(repo, "HEAD~1..HEAD")) == {"team": "changed"}
    out = told(repo, "HEAD~2..HEAD")
    assert "HEAD~2 is not compared with anything: " in out
    assert list(data(repo, "codex", "HEAD~1..HEAD")["agents"]) == ["codex"]


@pytest.mark.slow
def test_broken_settings_before_are_told_and_after_are_an_error(repo: Repo) -> None:
    """A change that mends a broken overture.toml can be shown; one that breaks it is one line with the revision."""
    repo.commit("Broken", {"overture.toml": "recipe = \n"})
    repo.commit("Mended", {"overture.toml": ""})
    assert "overture.toml: invalid TOML" in data(repo, "HEAD~1", "HEAD")["before"]["why"]
    assert_refused(diff(repo, "HEAD~2", "HEAD~1"), "HEAD~1: ", "overture.toml")


@pytest.mark.slow
def test_extensions_of_a_revision_are_not_run(repo: Repo) -> None:
    """A revision's own code stays text, also where its project is trusted."""
    put(repo.folder.parent / "home/.config/overture/overture.toml", f'trusted = ["{repo.folder}"]\n')
    repo.commit("Code", {
        "overture.toml": 'recipe = "opal"\nextensions = ["setup.py:setup"]\n',
        "setup.py": "open('RAN', 'w')\ndef setup(api): open('RAN', 'w')\n",
    })  # fmt: skip
    diff(repo, "HEAD~1", "HEAD", "--json")
    assert not list(repo.folder.rglob("RAN"))
