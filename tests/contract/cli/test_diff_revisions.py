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


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository of two commits: a line changed, a line added, a file that is shadowed, a skill that broke."""
    made = Repo(tmp_path / "p")
    made.commit("First", {
        "AGENTS.md": "Use tabs.\nBe kind.\n\nThird.\n",
        ".agents/skills/tides/SKILL.md": SKILL.format("tides", "Know the tides.", "Body."),
    })  # fmt: skip
    made.commit("Second", {
        "AGENTS.md": "Use spaces.\nBe kind.\n\nThird.\nFourth.\n",
        "CLAUDE.md": "Not read.\n",
        ".agents/skills/tides/SKILL.md": SKILL.format("Tides!", "Know the tides.", "Body."),
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


def changes(found: dict[str, Any]) -> dict[str, str]:
    return {block["name"]: block["change"] for block in found["blocks"] if block["change"] != "same"}


def block(found: dict[str, Any], name: str) -> dict[str, Any]:
    [one] = [each for each in found["blocks"] if each["name"] == name]
    return dict(one)


def test_two_revisions(repo: Repo) -> None:
    """Sections, files and lines that differ, tokens, the first byte, what counts, and what is wrong, as data."""
    found = data(repo, "HEAD~1", "HEAD", "--recipe", "opal")
    assert changes(found) == {"project-context": "changed", "skills": "removed"}
    context = block(found, "project-context")
    assert context["because"] == ["context_files"]
    assert context["hunks"] == [
        {"source": "AGENTS.md", "before": 1, "after": 1, "removed": ["Use tabs."], "added": ["Use spaces."]},
        {"source": "AGENTS.md", "before": None, "after": 5, "removed": [], "added": ["Fourth."]},
    ]
    built = {side: run("build", "opal", "--format", "json", cwd=repo.folder).stdout for side in ("after",)}
    assert found["tokens"][1] == sum(each["tokens"][1] for each in found["blocks"])
    assert found["tokens"][0] == sum(each["tokens"][0] for each in found["blocks"])
    text = json.loads(built["after"])["text"]
    assert text[found["first"] :].startswith("spaces.")
    assert found["cache"]["blame"]["section"] == "project-context"
    assert found["cache"]["blame"]["source"] == "AGENTS.md:1"
    assert 0 < found["cache"]["kept"] < found["cache"]["tokens"]
    files = {file["path"]: (file["counts"], file["why"].partition(":")[0]) for file in found["files"]}
    assert files == {
        "CLAUDE.md": ("not", "it is new, and unread"),
        ".agents/skills/tides/SKILL.md": ("no longer", "skipped"),
    }
    assert {each["code"] for each in found["problems"]["new"]} == {"skill-skipped"}
    assert found["problems"]["gone"] == []
    assert found["before"]["subject"] == "First"
    assert found["after"]["commit"] == repo.git("rev-parse", "HEAD")
    assert found["root"] == str(repo.folder)


def test_two_revisions_for_a_person(repo: Repo) -> None:
    """The text has the same: both revisions, tokens, the cache, lines under their files, files and problems."""
    out = told(repo, "HEAD~1", "HEAD", "--recipe", "opal")
    assert re.match(
        r"HEAD~1 \([0-9a-f]{7}\) First → HEAD \([0-9a-f]{7}\) Second\n~?[\d,]+ → ~?[\d,]+ tokens \(~?-\d+, ", out
    )
    assert "4 of 6 sections are the same." in out
    assert re.search(r"Cache: the first ~?[\d,]+ of ~?[\d,]+ tokens stay \(\d+%\), tools included; the first byte", out)
    assert "in project-context (AGENTS.md:1)." in out
    assert "\n  AGENTS.md:1\n    -Use tabs.\n    +Use spaces.\n  AGENTS.md:5\n    +Fourth.\n" in out
    assert "no longer loaded  .agents/skills/tides/SKILL.md  skipped: name 'Tides!'" in out
    assert "new  error: .agents/skills/tides/SKILL.md: line 2: skipped: name 'Tides!'" in out
    assert str(repo.folder) not in out


@pytest.mark.slow
def test_the_other_way_round(repo: Repo) -> None:
    """Backwards, what was removed is added, what was new is gone, and a file counts again."""
    found = data(repo, "HEAD", "HEAD~1", "--recipe", "opal")
    assert changes(found) == {"project-context": "changed", "skills": "added"}
    assert [(file["path"], file["counts"]) for file in found["files"]] == [(".agents/skills/tides/SKILL.md", "now")]
    assert {each["code"] for each in found["problems"]["gone"]} == {"skill-skipped"}


@pytest.mark.slow
def test_one_revision_is_compared_with_the_working_tree(repo: Repo) -> None:
    """What is not committed counts, also files that git does not know."""
    repo.write({"AGENTS.md": "Use spaces.\nBe kind.\n\nThird.\nFourth.\nFifth.\n", "OPAL.md": "Uncommitted.\n"})
    found = data(repo, "HEAD", "--recipe", "opal")
    assert found["after"] == {"name": "working tree", "commit": None, "subject": "", "why": ""}
    added = [line for hunk in block(found, "project-context")["hunks"] for line in hunk["added"]]
    assert "Fifth." in added
    assert "Uncommitted." in added
    assert [(file["path"], file["counts"], file["why"]) for file in found["files"]] == [("OPAL.md", "now", "it is new")]


@pytest.mark.slow
def test_nothing_different_is_one_line(repo: Repo) -> None:
    """Two revisions with the same prompt are said to be so on one line, and --exit-code is 0."""
    repo.commit("Third", {"src/main.py": "print()\n"})
    out = told(repo, "HEAD~1", "HEAD", "--exit-code")
    assert re.fullmatch(r"The prompt is the same in HEAD~1 \([0-9a-f]{7}\) and HEAD \([0-9a-f]{7}\)\.\n", out)
    assert told(repo, "HEAD").endswith(" and the working tree.\n")


def test_exit_code(repo: Repo) -> None:
    """It is 0 whether or not they differ; with --exit-code 1 if system prompt, user's message or tools do."""
    assert diff(repo, "HEAD~1", "HEAD").returncode == 0
    assert diff(repo, "HEAD~1", "HEAD", "--exit-code").returncode == 1
    repo.commit("A problem and no change", {"GEMINI.md": "Not read.\n"})
    result = diff(repo, "HEAD~1", "HEAD", "--exit-code", "--recipe", "opal")
    assert (result.returncode, "not loaded  GEMINI.md" in result.stdout) == (0, True)


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
    ],
)
def test_ways_to_name_two(repo: Repo, words: list[str], names: tuple[str, str]) -> None:
    """Ranges, the point at which two branches parted, branches, tags and ancestors are named as for git."""
    repo.git("tag", "v1", "HEAD~1")
    repo.git("branch", "side", "HEAD~1")
    found = data(repo, *words)
    assert (found["before"]["name"], found["after"]["name"]) == names
    if names[1] == "side":
        repo.git("checkout", "-q", "side")
        repo.commit("On the side", {"AGENTS.md": "Aside.\n"})
        found = data(repo, *words)
        removed = [line for hunk in block(found, "project-context")["hunks"] for line in hunk["removed"]]
        if words == ["main...side"]:
            assert "Use tabs." in removed
            assert found["before"]["commit"] == repo.git("rev-parse", "v1")


@pytest.mark.slow
def test_configuration_is_each_revision_s_own(repo: Repo) -> None:
    """The recipe that overture.toml names, a recipe in a file and its tools are read at each revision."""
    repo.commit("Recipe", {
        "overture.toml": 'recipe = "team.toml"\ntools = "tools.json"\n',
        "team.toml": 'extends = "opal"\n[[sections]]\nname = "team"\nfile = "team.md"\n',
        "team.md": "One.\nTwo.\n",
        "tools.json": '[{"name": "dredge"}, {"name": "moor"}]',
    })  # fmt: skip
    repo.commit("Words", {"team.md": "One.\nTwo!\n", "tools.json": '[{"name": "dredge", "description": "d"}]'})
    repo.write({"overture.toml": "broken", "team.md": "Uncommitted."})
    found = data(repo, "HEAD~2", "HEAD~1")
    assert found["recipes"] == ["house", "team"]
    found = data(repo, "HEAD~1", "HEAD")
    assert found["recipes"] == ["team", "team"]
    [hunk] = block(found, "team")["hunks"]
    assert (hunk["source"], hunk["after"], hunk["removed"], hunk["added"]) == ("team.md", 2, ["Two."], ["Two!"])
    assert found["tools"] == {"added": [], "removed": ["moor"], "changed": ["dredge"]}
    assert found["cache"]["blame"]["section"] == "tools"
    assert found["same"] is False


@pytest.mark.slow
def test_the_recipe_may_be_a_file_of_the_revision(repo: Repo) -> None:
    """--recipe with a path is read at each revision; where it is not there yet, all is new."""
    repo.commit("Recipe", {"team.toml": 'extends = "opal"\nremove = ["planning"]\n'})
    repo.commit("Recipe", {"team.toml": 'extends = "opal"\n'})
    assert changes(data(repo, "HEAD~1", "HEAD", "--recipe", "team.toml")) == {"planning": "added"}
    found = data(repo, "HEAD~2", "HEAD", "--recipe", "team.toml")
    assert "team.toml" in found["before"]["why"]
    assert set(changes(found).values()) == {"added"}


@pytest.mark.slow
def test_a_folder_that_one_revision_has_not(repo: Repo) -> None:
    """In a folder that is new, all of the prompt is; in one that is gone, all of it is gone; and that is said."""
    repo.commit("Service", {"services/x/AGENTS.md": "In the service.\n"})
    repo.commit("Gone", {"services/x/AGENTS.md": None})
    out = told(repo, "HEAD~2", "HEAD~1", "--cwd", "services/x", "--recipe", "opal")
    assert "HEAD~2 has no prompt, so all of it is new: the folder" in out
    assert "services/x" in out
    assert "AGENTS.md:1" in out
    (repo.folder / "services/x").rmdir()
    found = data(repo, "HEAD~1", "--cwd", "services/x")
    assert set(changes(found).values()) == {"removed"}
    assert found["cache"] is None
    assert_refused(diff(repo, "HEAD~3", "HEAD~2", "--cwd", "services/x"), "Neither side", "services/x")


@pytest.mark.slow
def test_from_a_folder_below(repo: Repo) -> None:
    """--cwd, or where one stands, is the agent's folder; its files are named from the root of the repository."""
    repo.commit("Service", {"services/x/AGENTS.md": "One.\n"})
    repo.commit("Service", {"services/x/AGENTS.md": "Two.\n"})
    for words, cwd in ((("--cwd", "services/x"), ""), ((), "services/x")):
        found = data(repo, "HEAD~1", "HEAD", *words, cwd=cwd)
        [hunk] = block(found, "project-context")["hunks"]
        assert (hunk["source"], hunk["after"]) == ("services/x/AGENTS.md", 1)
    assert data(repo, "HEAD~1", "HEAD")["same"] is True


@pytest.mark.slow
def test_through_a_link_to_the_repository(repo: Repo, tmp_path: Path) -> None:
    """A link above the repository changes nothing."""
    (tmp_path / "link").symlink_to(repo.folder)
    assert data(repo, "HEAD~1", "HEAD", "--cwd", tmp_path / "link") == data(repo, "HEAD~1", "HEAD")


@pytest.mark.slow
def test_what_can_t_be_built_before_is_new_and_after_is_an_error(repo: Repo) -> None:
    """A change that mends a broken overture.toml can be shown; one that breaks it is one line with the revision."""
    repo.commit("Broken", {"overture.toml": "recipe = \n"})
    repo.commit("Mended", {"overture.toml": 'recipe = "opal"\n'})
    found = data(repo, "HEAD~1", "HEAD")
    assert "overture.toml: invalid TOML" in found["before"]["why"]
    assert set(changes(found).values()) == {"added"}
    assert_refused(diff(repo, "HEAD~2", "HEAD~1"), "HEAD~1: Invalid value", "overture.toml:1:10")


@pytest.mark.slow
def test_an_error_of_a_state_names_the_revision(repo: Repo) -> None:
    """Also one that knows its line and column."""
    repo.commit("More", {"AGENTS.md": "Use spaces.\n"})
    state = repo.folder.parent / "state.json"
    state.write_text(json.dumps({"tools": [{"name": "read", "signature": "read bad"}]}))
    assert_refused(diff(repo, "HEAD~1", "HEAD", "--recipe", "ptc", "--state", state), "HEAD: line 1, column 1")


@pytest.mark.slow
def test_extensions_of_a_revision_are_not_run(repo: Repo) -> None:
    """A revision's own code stays text, also where its project is trusted."""
    put(repo.folder.parent / "home/.config/overture/overture.toml", f'trusted = ["{repo.folder}"]\n')
    repo.commit("Code", {
        "overture.toml": 'extensions = ["setup.py:setup"]\n',
        "setup.py": "open('RAN', 'w')\ndef setup(api): open('RAN', 'w')\n",
    })  # fmt: skip
    done = diff(repo, "HEAD~1", "HEAD", "--json")
    assert json.loads(done.stdout)["same"] is True
    assert done.stderr == "note: extensions only run in a session, not here: setup.py:setup\n"
    assert not list(repo.folder.rglob("RAN"))


@pytest.mark.slow
def test_recipes_and_files_keep_their_names(repo: Repo) -> None:
    """Two recipes are compared as recipes although branches have their names; --rev forces the branches."""
    repo.git("branch", "opal", "HEAD~1")
    repo.git("branch", "pi")
    repo.git("branch", "docs")
    put(repo.folder / "docs/x")
    put(repo.folder / "state.json", "{}")
    assert json.loads(diff(repo, "opal", "pi", "--json").stdout)["recipes"] == ["opal", "pi"]
    assert data(repo, "opal", "pi", "--rev")["before"]["name"] == "opal"
    assert data(repo, "opal", "HEAD")["before"]["name"] == "opal"
    assert data(repo, "opal")["before"]["name"] == "opal"
    assert data(repo, "docs", "HEAD")["before"]["name"] == "docs"
    repo.git("branch", "state.json")
    assert json.loads(diff(repo, "state.json", "state.json", "--json").stdout)["first"] is None
    assert data(repo, "state.json", "pi", "--rev")["before"]["name"] == "state.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["HEAD~1", "maim"],
            ["'maim'", "neither a recipe", "nor a file; as a revision it names no commit", "exists: `main`"],
        ),
        (["HEAD", "opall"], ["'opall'", "neither a recipe", "exists: `opal`"]),
        (["opal", "HEAD"], ["'opal' is a recipe or a file, and 'HEAD' is not", "two recipes or files"]),
        (["opal"], ["AFTER is missing", "'opal'"]),
        (["HEAD~9"], ["'HEAD~9'", "no such ancestor"]),
        (["HEAD..nowhere"], ["'nowhere' names no commit"]),
        (["HEAD~1..HEAD", "main"], ["'HEAD~1..HEAD' is a range", "Pass only the range"]),
        (["../a.json", "../b.json"], ["'../a.json' is neither a recipe", "nor a file"]),
        (["main", "--rev", "HEAD", "--no-discover"], ["--no-discover"]),
        (["opal", "pi", "--markdown"], ["--markdown needs two git revisions"]),
        (["HEAD", "--json", "--markdown"], ["`--json` and `--markdown`"]),
        (["HEAD~1", "HEAD", "--cwd", "/"], ["Not a git repository"]),
    ],
)
def test_bad_usage_is_one_clear_line(repo: Repo, words: list[str], said: list[str]) -> None:
    """A name that is nothing, two of different kinds, and options that do not go together end with one line."""
    assert_refused(diff(repo, *words), *said)


@pytest.mark.slow
def test_a_name_that_looks_like_an_option(repo: Repo) -> None:
    """It is a name, and reaches git as one."""
    assert_refused(run("diff", "--rev", "--", "--help", "HEAD", cwd=repo.folder), "'--help' names no commit")


@pytest.mark.slow
def test_a_repository_without_commits_and_none_at_all(tmp_path: Path) -> None:
    """Both are said on one line."""
    assert_refused(diff(Repo(tmp_path / "p"), "HEAD"), "no commits yet")
    (tmp_path / "q").mkdir()
    assert_refused(run("diff", "HEAD~1", "HEAD", cwd=tmp_path / "q"), "Not a git repository")


@pytest.mark.slow
def test_shallow_and_partial_clones(repo: Repo, tmp_path: Path) -> None:
    """What a clone does not have is named with what brings it; nothing is compared with what is missing."""
    repo.git("config", "uploadpack.allowFilter", "true")
    for name, how in (("shallow", "--depth=1"), ("partial", "--filter=blob:none")):
        repo.git("clone", "-q", how, f"file://{repo.folder}", tmp_path / name)
    shallow, partial = (diff(repo, "HEAD~1", "HEAD", "--cwd", tmp_path / name) for name in ("shallow", "partial"))
    assert_refused(shallow, "'HEAD~1'", "shallow clone", "fetch-depth: 0")
    assert_refused(partial, "HEAD~1: this clone does not have", "'AGENTS.md'", "nothing is fetched", "git show ")


@pytest.mark.slow
def test_a_submodule_is_noted(repo: Repo, tmp_path: Path) -> None:
    """What lies in a submodule is not compared in silence."""
    other = Repo(tmp_path / "other")
    other.commit("First", {"moor/SKILL.md": SKILL.format("moor", "Moor.", "")})
    repo.git("submodule", "add", "-q", str(other.folder), ".github/skills")
    repo.commit("Submodule")
    out = told(repo, "HEAD~1", "HEAD", "--recipe", "opal")
    assert "Note: .github/skills is a submodule: in HEAD it is treated as empty." in out


@pytest.mark.slow
def test_a_skill_whose_body_changed_is_named(repo: Repo) -> None:
    """The body of a skill is no part of the prompt: that it changed is said, and that it is read when it is used."""
    repo.commit("Mend", {".agents/skills/tides/SKILL.md": SKILL.format("tides", "Know.", "Old body.")})
    repo.commit("Body", {".agents/skills/tides/SKILL.md": SKILL.format("tides", "Know.", "New body.")})
    found = data(repo, "HEAD~1", "HEAD")
    assert (found["same"], found["later"]) == (True, [".agents/skills/tides/SKILL.md"])
    lines = told(repo, "HEAD~1", "HEAD").splitlines()
    assert lines[1:] == ["Changed, but only loaded on demand: .agents/skills/tides/SKILL.md."]
    assert "`.agents/skills/tides/SKILL.md`" in told(repo, "HEAD~1", "HEAD", "--markdown")


def test_a_comment_for_a_pull_request(repo: Repo) -> None:
    """The Markdown has a mark, a table of sections, files, problems, and the lines folded away."""
    out = told(repo, "HEAD~1", "HEAD", "--recipe", "opal", "--markdown")
    assert out.startswith("<!-- overture diff -->\n\n### Effective prompt: `HEAD~1 (")
    assert re.search(r"\*\*~-\d+ tokens\*\*: ~[\d,]+ → ~[\d,]+ ", out)
    assert "\n| `project-context` | changed | " in out
    assert " | `AGENTS.md:1`, `AGENTS.md:5` |\n" in out
    assert "| `.agents/skills/tides/SKILL.md` | no longer loaded | " in out
    assert "\n**New problems**\n\n- `error: .agents/skills/tides/SKILL.md: line 2" in out
    assert (
        "<details><summary><code>project-context</code> changed</summary>\n\n```diff\n@@ AGENTS.md:1 @@\n"
        "-Use tabs.\n+Use spaces.\n@@ AGENTS.md:5 @@\n+Fourth.\n```\n\n</details>" in out
    )
    same = told(repo, "HEAD", "HEAD", "--markdown")
    assert same.endswith("\n\nNothing differs.\n")


def outside(markdown: str) -> str:
    """What of a comment is not in a fence or a code span."""
    text = re.sub(r"^(`{3,})diff\n.*?\n\1$", "FENCE", markdown, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "CODE", text)


@pytest.mark.slow
def test_text_of_the_repository_stays_in_its_fence(repo: Repo) -> None:
    """Fences, tags, links, mentions and strokes in files, names and messages can't break out of the comment."""
    evil = "```\n</details>\n````\n~~~\n<img src=x>\n@everyone\n[a](http://x)\n ```\n| a | b |\n\u202ereversed\n"
    name = ".agents/skills/a`|`<b>@x/SKILL.md"
    repo.commit("`<b>` | @all\n", {"AGENTS.md": evil, name: SKILL.format("a`|`\\<b>@x", "d", "")})
    out = told(repo, "HEAD~1", "HEAD", "--markdown")
    bare = outside(out)
    for word in ("everyone", "img", "http", "reversed", "@x", "<b>", "@all"):
        assert word in out or word == "@all"
        assert word not in bare
    assert bare.count("</details>") == bare.count("<details>") == bare.count("FENCE")
    assert "\u202e" not in out
    for row in [line for line in bare.splitlines() if line.startswith("| ")]:
        assert row.count("|") in (4, 5)


@pytest.mark.slow
def test_a_comment_is_never_longer_than_github_takes(repo: Repo) -> None:
    """A long difference is cut at a line, folds and fences are closed, and it is said."""
    lines = [f"Line {n} \U0001f6a2 of many that nobody will ever read in a comment." for n in range(3000)]
    files: dict[str, str | bytes | None] = {"AGENTS.md": "\n".join(lines)}
    files |= {f".agents/skills/s{n}/SKILL.md": SKILL.format(f"s{n}", "d" * 500, "") for n in range(200)}
    repo.commit("Long", files)
    out = told(repo, "HEAD~1", "HEAD", "--markdown").rstrip("\n")
    assert len(out.encode("utf-16-le")) // 2 <= 65_536
    assert len(out) > 50_000
    assert "dropped or truncated: the limit of GitHub is 65,536 characters. `overture diff` shows all." in out
    assert "and 170 more." in out
    bare = outside(out)
    assert bare.count("<details>") == bare.count("</details>") == bare.count("FENCE")
    assert lines[-1] in told(repo, "HEAD~1", "HEAD")


@pytest.mark.slow
def test_sessions_of_a_user_message_are_compared_too(repo: Repo) -> None:
    """A section that stands in the user's message is part of what is sent."""
    recipe = 'extends = "opal"\n[[sections]]\nname = "late"\nplace = "user"\npace = "turn"\ntext = "{}"\n'
    repo.commit("One", {"team.toml": recipe.format("One.")})
    repo.commit("Two", {"team.toml": recipe.format("Two.")})
    found = data(repo, "HEAD~1", "HEAD", "--recipe", "team.toml")
    assert (found["first"], found["same"]) == (None, False)
    assert (block(found, "late")["place"], block(found, "late")["change"]) == ("user", "changed")
    assert "late  changed" in told(repo, "HEAD~1", "HEAD", "--recipe", "team.toml")
    assert diff(repo, "HEAD~1", "HEAD", "--recipe", "team.toml", "--exit-code").returncode == 1


@pytest.mark.slow
def test_another_order_is_a_difference(repo: Repo) -> None:
    """Sections that only changed places are said to have done so."""
    one, two = (f'[[sections]]\nname = "{name}"\ntext = "{name}."\n' for name in ("one", "two"))
    repo.commit("One", {"team.toml": f'about = "x"\n{one}{two}'})
    repo.commit("Two", {"team.toml": f'about = "x"\n{two}{one}'})
    for words in ((), ("--markdown",)):
        assert "The sections are the same in a different order." in told(
            repo, "HEAD~1", "HEAD", "--recipe", "team.toml", *words
        )


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
    repo.commit("Second", {"AGENTS.md": "Two.\n"})
    found = data(repo, name, "HEAD")
    assert found["before"]["name"] == "caf\ufffd"
    assert [hunk["source"] for hunk in block(found, "project-context")["hunks"]] == ["AGENTS.md"]
    assert "caf\ufffd" in told(repo, name, "--markdown")


@pytest.mark.slow
def test_budgets_and_settings_hold_for_both(repo: Repo) -> None:
    """--set, -c and --budget are the caller's, and the same on both sides."""
    assert data(repo, "HEAD~1", "HEAD", "-c", "features.context.enabled=false", "--recipe", "opal")["files"] != []
    found = data(repo, "HEAD~1", "HEAD", "--set", "context_files=[]", "-c", "features.skills.enabled=false")
    assert found["same"] is True
    found = data(repo, "HEAD~1", "HEAD", "--recipe", "opal", "--budget", "400")
    assert max(found["tokens"]) <= 400


@pytest.mark.slow
def test_a_file_outside_that_a_revision_begins_to_name_is_told(repo: Repo) -> None:
    """It is told with its rule, and without an option that would have it read: revisions are read from git alone."""
    put(repo.folder.parent / "home/.netrc", "machine x login CANARY\n")
    (repo.folder / "TEAM.md").symlink_to("../home/.netrc")
    repo.commit("Third", {".gemini/settings.json": json.dumps({"context": {"fileName": ["TEAM.md"]}})})
    found = data(repo, "HEAD~1..HEAD", "--recipe", "gemini-cli")
    (file,) = [each for each in found["files"] if each["path"] == "TEAM.md"]
    assert (file["counts"], file["before"], file["after"]) == ("not", "absent", "outside")
    assert file["why"].startswith("it is imported now: outside the project: ")
    assert file["why"].endswith("named by context.fileName in .gemini/settings.json")
    text = told(repo, "HEAD~1..HEAD", "--recipe", "gemini-cli")
    assert "it is imported now: " in " ".join(text.split())
    assert "CANARY" not in text + json.dumps(found)
    assert "--read-outside" not in text + json.dumps(found)


@pytest.mark.slow
def test_a_path_outside_that_settings_name_is_told(repo: Repo) -> None:
    """Without any link, and the same whether it is there or not: the file is named once with its rule."""
    repo.commit("Third", {".gemini/settings.json": json.dumps({"context": {"fileName": ["../home/.netrc"]}})})
    missing = told(repo, "HEAD~1..HEAD", "--recipe", "gemini-cli")
    put(repo.folder.parent / "home/.netrc", "machine x login CANARY\n")
    found = data(repo, "HEAD~1..HEAD", "--recipe", "gemini-cli")
    (file,) = [each for each in found["files"] if each["path"].endswith(".netrc")]
    assert (file["counts"], file["before"], file["after"]) == ("not", "absent", "outside")
    assert file["why"].endswith("named by context.fileName in .gemini/settings.json")
    for option in ((), ("--markdown",)):
        assert "CANARY" not in told(repo, "HEAD~1..HEAD", "--recipe", "gemini-cli", *option)
    assert told(repo, "HEAD~1..HEAD", "--recipe", "gemini-cli") == missing
