"""Steps look in the folders they name, take what they say, and tell why the rest is left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture.discover.configuration.config_keys import Features
from overture.discover.discover import ResolvedProject, discover
from overture.discover.disk.working_directory import locate
from overture.discover.instructions import list_step_paths
from overture.model.file_steps import FileStep, Imports, RuleConditions, SettingsFile
from overture.model.recipe.recipe import Recipe
from overture.model.state.discovery import Discovery
from overture.model.wants import ContextFiles, Wants, fill_settings


def tree(folder: Path, *paths: str) -> Path:
    """A repository whose files say their own paths."""
    (folder / "repo/.git").mkdir(parents=True)
    (folder / "repo/pkg/svc").mkdir(parents=True)
    for path in paths:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"I am {path}\n")
    return folder


def look(
    folder: Path,
    *steps: FileStep,
    touching: tuple[str, ...] = (),
    cwd: str = "repo/pkg/svc",
    features: Features | None = None,
    **wants: Any,
) -> Discovery:
    """What steps find."""
    recipe = Recipe("mine", (), wants=Wants(files=steps, **wants))
    return discover(
        ResolvedProject(recipe, locate(folder / cwd, folder / "home"), features or Features(), touching=touching)
    )


def names(found: Discovery, folder: Path) -> list[str]:
    """The files in their order."""
    return [file.path.removeprefix(f"{folder}/") for file in found.state.context_files]


def why(found: Discovery, end: str) -> tuple[str, str]:
    """What became of a path, and why."""
    return next((each.outcome, each.detail) for each in found.looked_at if each.path.endswith(end))


EVERYWHERE = ("A.md", "repo/A.md", "repo/pkg/A.md", "repo/pkg/svc/A.md", "repo/pkg/svc/sub/A.md", "home/x/A.md")


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (FileStep("s", ("A.md",)), ["repo/A.md", "repo/pkg/A.md", "repo/pkg/svc/A.md"]),
        (FileStep("s", ("A.md",), order="nearest"), ["repo/pkg/svc/A.md", "repo/pkg/A.md", "repo/A.md"]),
        (FileStep("s", ("A.md",), where="ends"), ["repo/A.md", "repo/pkg/svc/A.md"]),
        (FileStep("s", ("A.md",), where="between"), ["repo/pkg/A.md"]),
        (FileStep("s", ("A.md",), where="cwd"), ["repo/pkg/svc/A.md"]),
        (FileStep("s", ("A.md",), where="root"), ["repo/A.md"]),
        (FileStep("s", ("A.md",), where="home", at_home=("x",)), ["home/x/A.md"]),
        (FileStep("s", ("A.md",), where="cwd", at_home=("x",)), ["home/x/A.md", "repo/pkg/svc/A.md"]),
        (FileStep("s", ("A.md",), up="above-repository"), ["A.md", "repo/A.md", "repo/pkg/A.md", "repo/pkg/svc/A.md"]),
        (FileStep("s", ("A.md",), up="root"), ["A.md", "repo/A.md", "repo/pkg/A.md", "repo/pkg/svc/A.md"]),
        (FileStep("s", ("A.md",), where="below"), []),
    ],
)
def test_a_step_looks_where_it_says(tmp_path: Path, step: FileStep, expected: list[str]) -> None:
    """Every place has its folders, in its order."""
    assert names(look(tree(tmp_path, *EVERYWHERE), step), tmp_path) == expected


def test_a_step_below_waits_for_a_file_in_play(tmp_path: Path) -> None:
    """The folders from the working directory down to that file are looked into, and no others."""
    tree(tmp_path, *EVERYWHERE, "repo/pkg/svc/other/A.md")
    found = look(tmp_path, FileStep("s", ("A.md",), where="below"), touching=("sub/x.py",))
    assert names(found, tmp_path) == ["repo/pkg/svc/sub/A.md"]


def test_without_a_repository_a_walk_is_as_long_as_it_says(tmp_path: Path) -> None:
    """Here alone, or all the way up."""
    for path in ("a/A.md", "a/b/A.md"):
        tree_path = tmp_path / path
        tree_path.parent.mkdir(parents=True, exist_ok=True)
        tree_path.write_text("x")
    assert names(look(tmp_path, FileStep("s", ("A.md",)), cwd="a/b"), tmp_path) == ["a/b/A.md"]
    assert names(look(tmp_path, FileStep("s", ("A.md",), alone="up"), cwd="a/b"), tmp_path) == ["a/A.md", "a/b/A.md"]


def test_presence_or_words_decide(tmp_path: Path) -> None:
    """`first` takes an empty file and hides the next; `full` goes on to the first with words."""
    tree(tmp_path, "repo/B.md")
    (tmp_path / "repo/A.md").write_text(" \n")
    first, full = (look(tmp_path, FileStep("s", ("A.md", "B.md"), take=take), cwd="repo") for take in ("first", "full"))
    assert names(first, tmp_path) == []
    assert why(first, "/B.md") == ("hidden", f"by {tmp_path}/repo/A.md, which comes first in its folder")
    assert names(full, tmp_path) == ["repo/B.md"]


def test_one_name_anywhere_may_count_everywhere(tmp_path: Path) -> None:
    """With `name`, the first name that is anywhere hides the others in every folder."""
    found = look(tree(tmp_path, "repo/B.md", "repo/pkg/A.md"), FileStep("s", ("A.md", "B.md"), take="name"))
    assert names(found, tmp_path) == ["repo/pkg/A.md"]
    assert why(found, "repo/B.md") == ("hidden", "by A.md: where that exists, no B.md is read anywhere")


def test_a_step_may_be_switched_off_by_a_file(tmp_path: Path) -> None:
    """One with words in any folder of the walk does it, an empty one does not."""
    tree(tmp_path, "repo/pkg/A.md")
    step = FileStep("s", ("A.md",), unless=("C.md",))
    (tmp_path / "repo/C.md").write_text("\n")
    assert names(look(tmp_path, step), tmp_path) == ["repo/pkg/A.md"]
    (tmp_path / "repo/C.md").write_text("words\n")
    assert names(look(tmp_path, step), tmp_path) == []
    assert why(look(tmp_path, step), "pkg/A.md")[1].startswith(f"by {tmp_path}/repo/C.md")


@pytest.mark.parametrize(
    ("front", "outcome"),
    [
        ("", "loaded"),
        ("---\npaths: src/**\n---\n", "lazy"),
        ("---\npaths: ['src/**', 'lib/*']\n---\n", "lazy"),
        ("---\npaths: '**'\n---\n", "loaded"),
        ("---\npaths: []\n---\n", "loaded"),
        ("---\nalways: true\npaths: src/**\n---\n", "loaded"),
        ("---\ndescription: Ask me\n---\n", "lazy"),
        ("---\npaths: [\n---\n", "unread"),
        ("---\npaths: 'a{b'\n---\n", "unread"),
    ],
)
def test_a_rule_counts_when_its_frontmatter_says(tmp_path: Path, front: str, outcome: str) -> None:
    """Always, for some files, or at somebody's word; broken ones as the agent takes them."""
    rules = RuleConditions(globs=("paths",), always=("always=true",), model=("description",), broken="never")
    tree(tmp_path, "repo/.rules/r.md")
    (tmp_path / "repo/.rules/r.md").write_text(f"{front}Do this.\n")
    step = FileStep("s", (".rules/*.md",), where="root", conditions=rules)
    found = look(tmp_path, step)
    assert why(found, "/r.md")[0] == outcome
    if "src" in front and outcome == "lazy":
        inner = str(tmp_path / "repo/src/a/b.py")
        assert names(look(tmp_path, step, touching=(inner,)), tmp_path) == ["repo/.rules/r.md"]
    broken = "[\n" in front or "{b" in front
    assert [note.code for note in found.diagnostics] == ["rule-invalid"] * broken


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.json", '// said\n{"files": ["B.md",], /* more */ }\n'),
        ("s.toml", 'files = ["B.md"]\n'),
        ("s.yml", "files:\n  - B.md\n"),
        ("s.yml", "files: B.md\n"),
    ],
)
def test_settings_of_the_agent_add_names(tmp_path: Path, name: str, text: str) -> None:
    """JSON with comments, TOML and YAML are read."""
    tree(tmp_path, "repo/A.md", "repo/B.md")
    (tmp_path / "repo" / name).write_text(text)
    settings = (SettingsFile((name,), {"files": "s.names+"}),)
    found = look(tmp_path, FileStep("s", ("A.md",)), cwd="repo", settings_files=settings)
    assert names(found, tmp_path) == ["repo/A.md", "repo/B.md"]
    assert why(found, name)[0] == "loaded"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.json", "{"),
        ("s.json", "[1]"),
        ("s.toml", "files = "),
        ("s.yml", "a: [b"),
        ("s.json", '{"files": 7}'),
        ("s.json", "\x00"),
    ],
)
def test_broken_settings_are_reported_and_change_nothing(tmp_path: Path, name: str, text: str) -> None:
    """One line each; what the agent reads without them is read."""
    tree(tmp_path, "repo/A.md")
    (tmp_path / "repo" / name).write_text(text)
    settings = (SettingsFile((name,), {"files": "s.names+"}),)
    found = look(tmp_path, FileStep("s", ("A.md",)), cwd="repo", settings_files=settings)
    assert names(found, tmp_path) == ["repo/A.md"]
    assert [note.path for note in found.diagnostics] == [f"{tmp_path}/repo/{name}"]


@pytest.mark.parametrize("how", ["link", "setting"])
def test_a_file_from_outside_is_named_and_read_only_where_the_user_says_so(tmp_path: Path, how: str) -> None:
    """Its size and the rule that would load it are said; with --read-outside it is read as the agent does."""
    tree(tmp_path, "secret/key.md")
    secret = tmp_path / "secret/key.md"
    if how == "link":
        (tmp_path / "repo/A.md").symlink_to(secret)
    else:
        (tmp_path / "repo/s.json").write_text(f'{{"files": ["{secret}"]}}')
    settings = (SettingsFile(("s.json",), {"files": "s.names+"}),)
    found = look(tmp_path, FileStep("s", ("A.md",)), cwd="repo", settings_files=settings)
    assert found.state.context_files == ()
    (note,) = found.diagnostics
    assert note.code == "context-outside"
    rule = f"{tmp_path}/repo/A.md is a symlink" if how == "link" else f"named by files in {tmp_path}/repo/s.json"
    said = f"skipped: outside the project: {secret} (19 bytes), {rule}; pass --read-outside"
    assert note.message.startswith(said)
    features = Features(links_outside=True)
    found = look(tmp_path, FileStep("s", ("A.md",)), cwd="repo", settings_files=settings, features=features)
    assert [file.content for file in found.state.context_files] == ["I am secret/key.md"]
    assert found.diagnostics == ()


RULES = {
    "waits": "---\npaths: [x/**]\n---\nx\n",
    "asked": "---\ndescription: For tests.\n---\nx\n",
    "bad": '---\npaths: ["x\n  : - :\n---\nx\n',
    "endless": "---\npaths: [x\nx\n",
    "empty": "---\npaths: []\n---\nx\n",
}


@pytest.mark.parametrize(
    ("conditions", "loaded"),
    [
        (RuleConditions(globs=("paths",)), {"asked", "bad", "endless", "empty"}),
        (RuleConditions(globs=("paths",), broken="never"), {"asked", "endless", "empty"}),
        (RuleConditions(globs=("paths",), empty="never"), {"asked", "bad", "endless"}),
        (RuleConditions(globs=("paths",), model=("description",)), {"bad", "endless", "empty"}),
    ],
)
def test_what_becomes_of_faulty_frontmatter_is_the_agents_way(
    tmp_path: Path, conditions: RuleConditions, loaded: set[str]
) -> None:
    """One that can't be read, one that never ends and an empty list of patterns each go their own way."""
    tree(tmp_path)
    for name, text in RULES.items():
        (tmp_path / f"repo/{name}.md").write_text(text)
    found = look(tmp_path, FileStep("s", ("*.md",), where="root", conditions=conditions))
    assert {Path(file.path).stem for file in found.state.context_files} == loaded


def test_rules_that_wait_may_be_announced(tmp_path: Path) -> None:
    """They are told as a kind of their own, and stay what they are: read later."""
    tree(tmp_path)
    for name in ("waits", "asked"):
        (tmp_path / f"repo/{name}.md").write_text(RULES[name])
    rule = RuleConditions(globs=("paths",), model=("description",), announced=("waiting", "model"))
    found = look(tmp_path, FileStep("s", ("*.md",), where="root", conditions=rule))
    assert [file.kind for file in found.state.context_files] == ["s:model", "s:waiting"]
    assert why(found, "waits.md")[0] == why(found, "asked.md")[0] == "lazy"


def test_a_rule_behind_a_link_may_be_called_by_where_it_lies(tmp_path: Path) -> None:
    """It stays known by the path at which it was found."""
    tree(tmp_path, "repo/shared/a.md")
    (tmp_path / "repo/rules").symlink_to("shared")
    for quirks, shown in (("", ""), ("claude-code", str(tmp_path / "repo/shared/a.md"))):
        found = look(tmp_path, FileStep("s", ("rules/*.md",), where="root", quirks=quirks))
        assert names(found, tmp_path) == ["repo/rules/a.md"]
        assert [file.shown for file in found.state.context_files] == [shown]


def test_a_setting_may_say_where_a_walk_begins(tmp_path: Path) -> None:
    """The outermost of the folders that lies above; where none does, all is as without it."""
    tree(tmp_path, *EVERYWHERE)
    settings = SettingsFile(("~/trusted.toml",), {"trusted": "s.tops"})
    (tmp_path / "home/trusted.toml").write_text(f"trusted = ['{tmp_path}/repo/pkg', '{tmp_path}/repo/pkg/svc']")
    found = look(tmp_path, FileStep("s", ("A.md",)), settings_files=(settings,))
    assert names(found, tmp_path) == ["repo/pkg/A.md", "repo/pkg/svc/A.md"]
    (tmp_path / "home/trusted.toml").write_text("trusted = ['/elsewhere']")
    found = look(tmp_path, FileStep("s", ("A.md",)), settings_files=(settings,))
    assert names(found, tmp_path) == ["repo/A.md", "repo/pkg/A.md", "repo/pkg/svc/A.md"]


@pytest.mark.parametrize(("given", "brought"), [("true", True), ("false", False), ('"yes"', False)])
def test_an_approval_of_this_folder_lets_imports_out(tmp_path: Path, given: str, brought: bool) -> None:
    """A key may hold the path of the working directory; a value that is no switch changes nothing."""
    tree(tmp_path, "repo/pkg/svc/A.md", "repo/B.md")
    (tmp_path / "repo/pkg/svc/A.md").write_text("@../../B.md\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/x.json").write_text(f'{{"projects": {{"{tmp_path}/repo/pkg/svc": {{"ok": {given}}}}}}}')
    settings = SettingsFile(("~/x.json",), {'projects."{cwd}".ok': "s.anywhere"})
    step = FileStep("s", ("A.md",), where="cwd", imports=Imports(depth=1, place="after", within="cwd"))
    found = look(tmp_path, step, settings_files=(settings,))
    assert ("repo/B.md" in names(found, tmp_path)) == brought


def test_a_star_in_a_folders_own_name_is_a_letter(tmp_path: Path) -> None:
    """A pattern looks in the folder where it is looked for, even if that has a `*` in its name, and in no other."""
    for folder in ("st*r", "star"):
        (tmp_path / folder / "repo/.git").mkdir(parents=True)
        (tmp_path / folder / "repo/rules").mkdir()
        (tmp_path / folder / "repo/rules/a.md").write_text(f"I am in {folder}.\n")
    step = FileStep("s", ("rules/*.md",), where="root")
    assert names(look(tmp_path / "st*r", step, cwd="repo"), tmp_path) == ["st*r/repo/rules/a.md"]
    recipe = Recipe("mine", (), wants=Wants(context=ContextFiles(("rules/*.md",))))
    found = discover(ResolvedProject(recipe, locate(tmp_path / "st*r/repo", tmp_path / "home")))
    assert names(found, tmp_path) == ["st*r/repo/rules/a.md"]


def test_a_setting_for_a_step_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    """A recipe may have no step at all: the setting is skipped, with a warning."""
    tree(tmp_path)
    (tmp_path / "repo/s.json").write_text('{"files": ["A.md"]}')
    found = look(tmp_path, cwd="repo", settings_files=(SettingsFile(("s.json",), {"files": "s.names+"}),))
    assert [note.code for note in found.diagnostics] == ["settings-invalid"]


@pytest.mark.parametrize("name", ["\ud800.md", "a\0.md"])
def test_a_setting_with_a_name_that_no_disk_has_is_reported(tmp_path: Path, name: str) -> None:
    """JSON can write half of a surrogate pair, and a NUL: the setting is skipped, and the other files are read."""
    tree(tmp_path, "repo/A.md")
    (tmp_path / "repo/s.json").write_text(json.dumps({"files": [name]}))
    settings = (SettingsFile(("s.json",), {"files": "s.names+"}),)
    found = look(tmp_path, FileStep("s", ("A.md",)), cwd="repo", settings_files=settings)
    assert names(found, tmp_path) == ["repo/A.md"]
    assert [note.code for note in found.diagnostics] == ["settings-invalid"]


def test_a_name_with_a_nul_is_no_file(tmp_path: Path) -> None:
    """No path has one: a pattern in such a folder matches nothing."""
    found = look(tree(tmp_path), FileStep("s", ("a\0/*.md", "a\0.md")), cwd="repo")
    assert (found.state.context_files, found.diagnostics) == ((), ())


@pytest.mark.parametrize("text", ['"Looks fine."', "[]", '""', "0", "false"])
def test_a_settings_file_with_another_value_is_no_object(tmp_path: Path, text: str) -> None:
    """The reason is ours: a text in it is not taken for one. An empty value is as little an object as a full one."""
    tree(tmp_path)
    (tmp_path / "repo/s.json").write_text(text)
    settings = (SettingsFile(("s.json",), {"files": "s.names+"}),)
    found = look(tmp_path, FileStep("s", ("A.md",)), cwd="repo", settings_files=settings)
    assert [note.message for note in found.diagnostics] == ["skipped: it is not an object"]


def test_a_worktree_may_sort_the_files_of_its_checkout_by_name(tmp_path: Path) -> None:
    """What it borrows is in none of its own folders: that comes last."""
    tree(tmp_path, "main/rules/b.md", "tree/rules/a.md")
    own = tmp_path / "main/.git/worktrees/tree"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{tmp_path}/tree/.git\n")
    (tmp_path / "tree/.git").write_text(f"gitdir: {own}\n")
    found = look(tmp_path, FileStep("s", ("rules/*.md",), borrows="always", order="file"), cwd="tree")
    assert names(found, tmp_path) == ["tree/rules/a.md", "main/rules/b.md"]


def test_rules_in_very_many_folders_do_not_vanish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many folders as the limit has are searched; that there are more is reported, once."""
    monkeypatch.setattr(list_step_paths, "MAX_PATTERN_FOLDERS", 5)
    tree(tmp_path, *(f"repo/rules/{number}/a.md" for number in range(9)))
    found = look(tmp_path, FileStep("s", ("rules/**/*.md", "rules/**/*.mdc")), cwd="repo")
    assert names(found, tmp_path) == [f"repo/rules/{number}/a.md" for number in range(4)]
    assert [(note.code, note.path) for note in found.diagnostics] == [("rule-folders", f"{tmp_path}/repo/rules")]


def test_a_value_in_braces_is_not_filled_again() -> None:
    """Settings are filled in at once: a folder that is called `{b}` is not the setting `b`, in any order."""
    wants = Wants(files=(FileStep("s", ("{a}/x", "{b}/y", "{c}")),))
    for settings in ({"a": "{b}", "b": 'q"{a}'}, {"b": 'q"{a}', "a": "{b}"}):
        assert fill_settings(wants, settings).files[0].names == ("{b}/x", 'q"{a}/y', "{c}")
