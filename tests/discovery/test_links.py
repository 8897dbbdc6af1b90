from pathlib import Path

import overture
from overture.model.state.reasons import HOW_TO_READ
from tests.contract.discovery.disk import came_of, find, link, names, put, put_skill, said, texts


def test_two_links_to_each_other_end(tmp_path: Path) -> None:
    """Links in a circle are each reported."""
    link(tmp_path / "p/AGENTS.md", "OPAL.md")
    link(tmp_path / "p/OPAL.md", "AGENTS.md")
    found = find(tmp_path)
    for name in ("AGENTS.md", "OPAL.md"):
        assert came_of(found, tmp_path / "p" / name)[0] == "unreadable"


def test_a_folder_that_is_a_link_to_itself_ends(tmp_path: Path) -> None:
    """A folder that is a link to itself is reported, and the rest is loaded."""
    link(tmp_path / "p/.agents", ".agents")
    put(tmp_path / "p/AGENTS.md", "text")
    found = find(tmp_path)
    assert texts(found) == ["text"]
    assert came_of(found, tmp_path / "p/.agents/AGENTS.md")[0] == "unreadable"
    assert came_of(found, tmp_path / "p/.agents/skills", "skill")[0] == "unreadable"


def test_a_link_to_a_parent_outside_is_reported(tmp_path: Path) -> None:
    """Without a repository, a link to a parent leaves the working directory."""
    path = link(tmp_path / "p/AGENTS.md", "..")
    assert came_of(find(tmp_path), path)[0] == "outside"


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    """A link that leaves the project is not followed, and the line says what would permit it."""
    put(tmp_path / "elsewhere/secret.md", "secret")
    path = link(tmp_path / "p/AGENTS.md", "../elsewhere/secret.md")
    found = find(tmp_path)
    assert found.state.context_files == ()
    assert came_of(found, path)[0] == "outside"
    where = f"outside the project: {tmp_path}/elsewhere/secret.md (6 bytes), {path} is a symlink"
    assert said(found, path) == f"warning: skipped: {where}; {HOW_TO_READ}"
    assert "secret" not in overture.build("opal", found.state).text


def test_an_allowed_link_is_followed(tmp_path: Path) -> None:
    """A link out of the project is followed where the user reads outside."""
    put(tmp_path / "elsewhere/shared.md", "shared")
    path = link(tmp_path / "p/AGENTS.md", "../elsewhere/shared.md")
    put(tmp_path / "home/.config/overture/overture.toml", "features.links.outside = true\n")
    found = find(tmp_path)
    assert texts(found) == ["shared"]
    assert came_of(found, path) == ("loaded", "")


def test_a_link_within_the_repository_is_followed(tmp_path: Path) -> None:
    """A link within the repository is followed; the prompt names the link."""
    (tmp_path / ".git").mkdir()
    put(tmp_path / "docs/agents.md", "shared")
    path = link(tmp_path / "p/AGENTS.md", "../docs/agents.md")
    found = find(tmp_path)
    assert texts(found) == ["shared"]
    assert f'source="{path}"' in overture.build("opal", found.state).text


def test_a_folder_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    """A file behind a folder that is a link out of the project is reported."""
    put(tmp_path / "elsewhere/AGENTS.md", "secret")
    put_skill(tmp_path / "elsewhere/skills/spy")
    link(tmp_path / "p/.agents", "../elsewhere")
    found = find(tmp_path)
    assert found.state.context_files == ()
    assert found.state.skills == ()
    assert came_of(found, tmp_path / "p/.agents/AGENTS.md")[0] == "outside"
    assert came_of(found, tmp_path / "p/.agents/skills", "skill")[0] == "outside"


def test_a_chain_of_links_is_judged_by_its_end(tmp_path: Path) -> None:
    """A link to a link that leaves the project is not followed."""
    put(tmp_path / "elsewhere/secret.md", "secret")
    link(tmp_path / "p/inner.md", "../elsewhere/secret.md")
    path = link(tmp_path / "p/AGENTS.md", "inner.md")
    assert came_of(find(tmp_path), path)[0] == "outside"


def test_links_under_home_stay_in_home(tmp_path: Path) -> None:
    """A skill folder under home may lead anywhere in home, and nowhere else."""
    put_skill(tmp_path / "home/dotfiles/mine")
    put_skill(tmp_path / "elsewhere/spy")
    link(tmp_path / "home/.agents/skills/mine", "../../dotfiles/mine")
    spy = link(tmp_path / "home/.agents/skills/spy", tmp_path / "elsewhere/spy")
    found = find(tmp_path)
    assert names(found) == ["mine"]
    assert came_of(found, spy / "SKILL.md", "skill")[0] == "outside"


def test_a_link_in_a_folder_above_the_repository_leads_into_it_or_nowhere(tmp_path: Path) -> None:
    """Above the repository, files are read, and links only where they lead into the repository."""
    (tmp_path / "a/p/.git").mkdir(parents=True)
    put(tmp_path / "a/p/notes.md", "inside")
    put(tmp_path / "a/near.md", "near")
    put(tmp_path / "AGENTS.md", "plain")
    link(tmp_path / "a/AGENTS.md", "p/notes.md")
    path = link(tmp_path / "a/OPAL.md", "near.md")
    found = find(tmp_path, cwd="a/p")
    assert texts(found) == ["plain", "inside"]
    assert came_of(found, path)[0] == "outside"


def test_the_link_root_is_never_above_the_root_of_the_walk(tmp_path: Path) -> None:
    """With the repository above --root, links may lead anywhere below --root."""
    (tmp_path / ".git").mkdir()
    put(tmp_path / "sub/y.md", "inside")
    put(tmp_path / "out.md", "outside")
    link(tmp_path / "sub/x/AGENTS.md", "../y.md")
    path = link(tmp_path / "sub/x/OPAL.md", "../../out.md")
    found = find(tmp_path / "sub", cwd="x")
    assert texts(found) == ["inside"]
    assert came_of(found, path)[0] == "outside"


def test_a_skill_folder_that_holds_itself_ends(tmp_path: Path) -> None:
    """Links to their own skill folder are not followed round and round, in pi's deep search either."""
    put_skill(tmp_path / "p/.agents/skills/real")
    for n in range(8):
        link(tmp_path / f"p/.agents/skills/loop{n}", ".")
    for recipe in ("opal", "pi"):
        found = find(tmp_path, recipe)
        assert names(found) == ["real"]
        assert len(found.looked_at) < 60
        assert found.diagnostics == ()
