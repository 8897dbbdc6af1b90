"""What a project reaches outside itself is named, and read only where the user says so: for every recipe."""

import json
import re
from pathlib import Path

import pytest

import overture
from overture.agents.table import agents_to_data, ask, files_to_data, make_table, open_agents_in
from overture.assemble.build import build
from overture.discovery.place import locate
from overture.discovery.tree_files import make_revision_world
from overture.known_agents import AGENTS
from overture.project.resolve import resolve
from overture.recipes import BUILTIN
from overture.testing.worlds import NOON
from tests.contract.discovery.disk import link, put

from .canaries import CANARY, WAYS, Canaries, filled

RECIPES = (*BUILTIN, *AGENTS)
PRIVATE = "machine x login CANARY-netrc"


def all_said(canaries: Canaries, recipe: str, *, outside: bool = False) -> str:
    """All that a recipe brings there: the prompt, the state, the record, and the agent's table."""
    config = {"features.links.outside": True} if outside else {}
    project = resolve(recipe, locate(cwd=canaries.project, home=canaries.home, config=config))
    found = project.find()
    prompt = build(project.recipe, found.state, found=found.diagnostics)
    said = [prompt.text, *(block.text for block in prompt.messages), json.dumps(found.state.to_dict(), default=str)]
    said += [str(each) for each in (*prompt.diagnostics, *found.looked_at)]
    if recipe in AGENTS:
        touching = (str(canaries.project / "src/main.py"),)
        base = open_agents_in(canaries.project, canaries.home, read_outside=outside, touching=touching)
        table = make_table(ask(base, [recipe]))
        said.append(json.dumps([agents_to_data(table), files_to_data(table)]))
    return "\n".join(said)


@pytest.mark.parametrize(
    ("variable", "folder"), [("CRUSH_GLOBAL_CONFIG", "/nowhere"), ("CRUSH_GLOBAL_CONFIG", "x"), ("XDG_CONFIG_HOME", "")]
)
def test_a_folder_around_home_is_nobodys_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, folder: str
) -> None:
    """A variable that makes `/` or home an agent's folder gives a project's settings nothing more to name."""
    home, project = tmp_path / "home", tmp_path / "project"
    secret = put(home / "notes.md", CANARY)
    put(project / "crush.json", json.dumps({"options": {"context_paths": ["~/notes.md", str(tmp_path / "far.md")]}}))
    put(tmp_path / "far.md", CANARY)
    monkeypatch.setenv(variable, folder or str(home))
    table = make_table(ask(open_agents_in(project, home), ["crush"]))
    became = {use.path: use.how for use in table.at("crush")}
    assert became[str(secret)] == became[str(tmp_path / "far.md")] == "skipped"


@pytest.mark.slow(unless=("claude", "gemini", "opal"))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_what_is_outside_is_named_and_not_read(tmp_path: Path, recipe: str, way: str) -> None:
    """Not one word of it is said; what the agent would read is named with its size and rule."""
    canaries = Canaries(tmp_path)
    made = overture.load_recipe(recipe)
    WAYS[way](canaries, filled(made))
    said = all_said(canaries, recipe)
    assert CANARY not in said, re.findall(rf".*{CANARY}.*", said)[:3]
    would = set(re.findall(rf"{CANARY}\d+-", all_said(canaries, recipe, outside=True)))
    for text in would:
        path = canaries.files[text]
        named = rf"outside [^\n]*?{re.escape(str(path))} \({path.stat().st_size:,} bytes\), "
        above = rf"outside [^\n]*?{re.escape(str(path.parent))}(?:/[^ ]*)? \(a folder\), "
        assert re.search(named, said) or re.search(above, said), (path, said[-3000:])


def test_the_ways_reach_what_agents_read(tmp_path: Path) -> None:
    """With --read-outside, agents that follow such a way are told the file: the canaries can sing."""
    for number, (recipe, way) in enumerate(
        [("claude-code", "links"), ("claude-code", "folders"), ("amp", "imports"), ("gemini-cli", "settings"),
         ("crush", "settings"), ("opencode", "settings"), ("house", "links"), ("copilot-vscode", "settings")]
    ):  # fmt: skip
        canaries = Canaries(tmp_path / str(number))
        made = overture.load_recipe(recipe)
        WAYS[way](canaries, filled(made))
        assert CANARY in all_said(canaries, recipe, outside=True), (recipe, way)


def found_by(top: Path, recipe: str, **config: object) -> tuple[str, str]:
    """The prompt in `top`/p and what is wrong there."""
    project = resolve(recipe, locate(cwd=top / "p", home=top / "home", config=config))
    prompt = build(project.recipe, (found := project.find()).state, found=found.diagnostics)
    return prompt.text, "\n".join(map(str, prompt.diagnostics))


def test_the_user_s_own_words_lead_anywhere(tmp_path: Path) -> None:
    """What ~/.claude/CLAUDE.md imports is read, also through further files, and through links of the user's."""
    put(tmp_path / "p/.git/HEAD")
    put(tmp_path / "home/dotfiles/claude.md", "@~/notes/a.md\n")
    link(tmp_path / "home/.claude/CLAUDE.md", "../dotfiles/claude.md")
    put(tmp_path / "home/notes/a.md", f"Mine.\n@{tmp_path}/far/b.md\n")
    put(tmp_path / "far/b.md", "Also mine.\n")
    text, wrong = found_by(tmp_path, "claude-code")
    assert "Mine." in text
    assert "Also mine." in text
    assert wrong == ""


def test_a_project_s_file_that_the_user_imports_stays_the_project_s(tmp_path: Path) -> None:
    """Its own imports lead nowhere but into the project."""
    put(tmp_path / "home/private.md", "CANARY")
    put(tmp_path / "home/.claude/CLAUDE.md", f"@{tmp_path}/p/docs.md\n")
    put(tmp_path / "p/.git/HEAD")
    put(tmp_path / "p/docs.md", "Docs.\n@~/private.md\n")
    text, wrong = found_by(tmp_path, "claude-code")
    assert "Docs." in text
    assert "CANARY" not in text
    assert f"outside the project: {tmp_path}/home/private.md (6 bytes)" in wrong


def test_settings_under_home_are_the_user_s_words(tmp_path: Path) -> None:
    """A name that the user's own settings give is looked for wherever the agent looks."""
    put(tmp_path / "p/.git/HEAD")
    put(tmp_path / "shared/TEAM.md", "Team.")
    put(tmp_path / "home/.gemini/settings.json", '{"context": {"fileName": ["../shared/TEAM.md"]}}')
    assert "Team." in found_by(tmp_path, "gemini-cli")[0]


def test_the_agent_s_own_instructions_may_be_reached_and_its_credentials_not(tmp_path: Path) -> None:
    """A project links to ~/.claude/shared.md, and to ~/.claude/.credentials.json."""
    put(tmp_path / "p/.git/HEAD")
    put(tmp_path / "home/.claude/shared.md", "Shared.")
    put(tmp_path / "home/.claude/.credentials.json", "CANARY")
    link(tmp_path / "p/CLAUDE.md", "../home/.claude/shared.md")
    link(tmp_path / "p/CLAUDE.local.md", "../home/.claude/.credentials.json")
    text, wrong = found_by(tmp_path, "claude-code")
    assert "Shared." in text
    assert "CANARY" not in text
    assert "/home/.claude/.credentials.json (6 bytes)" in wrong


@pytest.mark.parametrize(
    ("recipe", "place", "own", "settings"),
    [
        ("crush", ".cursor/rules/auth.json", ".config/crush/auth.json", {}),
        ("crush", "auth.json", ".config/crush/auth.json",
         {"crush.json": {"options": {"context_paths": ["auth.json"]}}}),
        ("gemini-cli", "oauth_creds.json", ".gemini/oauth_creds.json",
         {".gemini/settings.json": {"context": {"fileName": ["oauth_creds.json"]}}}),
        ("opencode", "auth.json", ".config/opencode/auth.json", {"opencode.json": {"instructions": ["auth.json"]}}),
    ],
)  # fmt: skip
def test_a_name_that_the_project_chooses_reaches_no_credentials(
    tmp_path: Path, recipe: str, place: str, own: str, settings: dict[str, object]
) -> None:
    """A link of the same name, where a pattern or a setting of the project takes any name, is named and not read."""
    put(tmp_path / "p/.git/HEAD")
    for name, value in settings.items():
        put(tmp_path / "p" / name, json.dumps(value))
    put(tmp_path / "home" / own, "CANARY")
    link(tmp_path / "p" / place, tmp_path / "home" / own)
    text, wrong = found_by(tmp_path, recipe)
    assert "CANARY" not in text
    assert f"/home/{own} (6 bytes)" in wrong
    assert "CANARY" in found_by(tmp_path, recipe, **{"features.links.outside": True})[0]


@pytest.mark.parametrize("recipe", ["claude-code", "opal"])
def test_an_archive_below_home_reaches_nothing_of_it(tmp_path: Path, recipe: str) -> None:
    """Without a repository, and where home itself is one."""
    name = "CLAUDE.md" if recipe == "claude-code" else "AGENTS.md"
    put(tmp_path / "home/.netrc", PRIVATE)
    link(tmp_path / "home/p" / name, "../.netrc")
    put(tmp_path / "home/p/inner/x")
    for repository in (False, True):
        if repository:
            put(tmp_path / "home/.git/HEAD")
        for cwd in ("home/p", "home/p/inner"):
            project = resolve(recipe, locate(cwd=tmp_path / cwd, home=tmp_path / "home"))
            found = project.find()
            assert "CANARY" not in build(project.recipe, found.state).text, (repository, cwd)


def test_an_approved_file_is_read_as_it_was_approved(tmp_path: Path) -> None:
    """Trust is for the path, the content and the project: another project, or another text, waits."""
    from overture.cli.commands.trust import review_trust
    from overture.discovery.configuration.trust import change_approvals
    from overture.discovery.world import World

    home = tmp_path / "home"
    put(home / "shared.txt", "Shared.")
    for name in ("p", "q"):
        put(tmp_path / name / ".git/HEAD")
        link(tmp_path / name / "CLAUDE.md", "../home/shared.txt")
    report, digests = review_trust(str(tmp_path / "p"), home)
    assert [(each.path, each.status) for each in report.outside] == [(str(home / "shared.txt"), "unknown")]
    assert "Shared." not in str(report)
    (home / "shared.txt").write_text("CANARY")
    with pytest.raises(overture.ConfigError, match="changed during the review"):
        change_approvals(World(), str(home), digests)
    assert "CANARY" not in found_by(tmp_path, "claude-code")[0]
    (home / "shared.txt").write_text("Shared.")
    change_approvals(World(), str(home), digests)
    assert "Shared." in found_by(tmp_path, "claude-code")[0]
    other = resolve("claude-code", locate(cwd=tmp_path / "q", home=home))
    assert other.find().state.context_files == ()
    (home / "shared.txt").write_text("CANARY")
    text, wrong = found_by(tmp_path, "claude-code")
    assert "CANARY" not in text
    assert "changed since it was approved" in wrong


def test_what_the_user_trusts_counts_for_agents_too(tmp_path: Path) -> None:
    """`features.links.outside` and `trusted` let a project reach what is outside."""
    put(tmp_path / "p/.git/HEAD")
    put(tmp_path / "shared/a.md", "Shared.")
    link(tmp_path / "p/CLAUDE.md", "../shared/a.md")
    assert "Shared." not in found_by(tmp_path, "claude-code")[0]
    for key, value in (("features.links.outside", True), ("trusted", (str(tmp_path / "p"),))):
        assert "Shared." in found_by(tmp_path, "claude-code", **{key: value})[0], key


@pytest.mark.slow(unless=("claude-code-settings", "claude-code-imports", "gemini-cli-settings", "gemini-cli-imports"))
@pytest.mark.parametrize("way", ["settings", "imports"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_revision_reads_nothing_outside_the_repository(tmp_path: Path, recipe: str, way: str) -> None:
    """Where the repository alone is read, nothing that its settings and imports name outside is, there or not."""
    canaries = Canaries(tmp_path)
    made = overture.load_recipe(recipe)
    WAYS[way](canaries, filled(made))
    world = make_revision_world(str(canaries.project.resolve()), None, NOON)
    for _ in range(2):
        project = resolve(recipe, locate(canaries.project, canaries.home, world=world))
        found = project.find()
        text = build(project.recipe, found.state, found=found.diagnostics).text
        said = text + "\n".join(str(each) for each in (*found.diagnostics, *found.looked_at))
        assert CANARY not in said
        assert not any(" bytes)" in look.detail for look in found.looked_at if look.outcome == "outside")
        for path in canaries.files.values():
            path.unlink(missing_ok=True)
