"""Every source has a tier: who gave the text."""

import json
from pathlib import Path

import pytest

import overture
from overture import Prompt, State
from overture.model.prompt.saved_prompt import restore_prompt
from overture.model.source import Tier, from_state, tier_of_path


@pytest.mark.parametrize(
    ("path", "tier"),
    [
        ("/home/u/p/AGENTS.md", "project"),
        ("/home/u/AGENTS.md", "user"),
        ("/home/u/.agents/skills/x/SKILL.md", "user"),
        ("/home/u/pp/AGENTS.md", "user"),
        ("/AGENTS.md", "project"),
        ("/tmp/AGENTS.md", "project"),
        ("/home/u/p/node_modules/x/AGENTS.md", "dependency"),
        ("/home/u/p/.venv/lib/python3.13/site-packages/x/SKILL.md", "dependency"),
        ("/home/u/p/vendor/x/AGENTS.md", "dependency"),
        ("/home/u/p/vendor.md", "project"),
        ("https://example.org/AGENTS.md", "remote"),
    ],
)
def test_a_files_tier_is_where_it_lies(path: str, tier: Tier) -> None:
    """In the project, under home, installed, fetched; what lies nowhere of these is not the user's."""
    assert tier_of_path(path, "/home/u/p", "/home/u") == tier


def tiers(prompt: Prompt) -> dict[str, str]:
    """The tier of each source, by what it is called."""
    told = overture.explain(prompt)
    return {str(share.source): share.tier for block in (*told.blocks, *told.messages) for share in block.shares}


def test_tiers_are_in_the_explanation_and_in_the_record(tmp_path: Path) -> None:
    """Project, user, dependency, data and what is built in; a saved prompt keeps them."""
    (tmp_path / "home/p/.git").mkdir(parents=True)
    (tmp_path / "home/p/AGENTS.md").write_text("Theirs.")
    (tmp_path / "home/AGENTS.md").write_text("Mine.")
    prompt = overture.build("opal", cwd=tmp_path / "home/p", home=tmp_path / "home")
    found = tiers(prompt)
    assert found[f"{tmp_path}/home/p/AGENTS.md:1"] == "project"
    assert found[f"{tmp_path}/home/AGENTS.md:1"] == "user"
    assert (found["state runtime.cwd"], found["recipe opal.identity"]) == ("data", "built in")
    saved = json.loads(json.dumps(prompt.to_dict()))
    parts = [part for block in saved["blocks"] for part in block["parts"]]
    assert all(part["tier"] for part in parts)
    assert {part["tier"] for part in parts if part["source"].get("path", "").endswith("p/AGENTS.md")} == {"project"}
    assert "tier" not in parts[0]["source"]
    assert tiers(restore_prompt(prompt.saved))[f"{tmp_path}/home/AGENTS.md:1"] == "user"


def test_fields_of_a_state() -> None:
    """Memories are data whatever file keeps them; tools of MCP are remote; the agent is as its caller says."""
    state = State.from_dict(
        {
            "memories": ["Ada likes tabs."],
            "agent": {"name": "Ada", "instructions": "Be brief."},
            "tools": [
                {"name": "read"},
                {"name": "mcp__x__look", "snippet": "Look."},
                {"name": "own", "snippet": "Own."},
            ],
            "runtime": {"cwd": "/p", "home": "/h", "project": "/p"},
            "origins": {"memories[0]": {"path": "/p/memories.json", "line": 2}},
        }
    )
    prompt = overture.build("house", state)
    by = {b.text[s.start : s.end]: prompt.tiers.of(s.source) for b in prompt.blocks for s in b.spans}
    assert by["Ada likes tabs."] == "data"
    assert by["Be brief."] == "user"
    assert [prompt.tiers.of(from_state(f"tools[{n}].snippet")) for n in range(3)] == ["built in", "remote", "user"]


def test_a_projects_recipe_is_the_projects(tmp_path: Path) -> None:
    """What its sections say is the project's, what it inherits is built in; named by the user it is theirs."""
    (tmp_path / "own.toml").write_text('extends = "opal"\n[[sections]]\nname = "a"\ntext = "Ours."\n')
    (tmp_path / "overture.toml").write_text('recipe = "own.toml"\n')
    found = tiers(overture.build(None, cwd=tmp_path, home=tmp_path / "home"))  # type: ignore[arg-type]
    assert (found["recipe own.a"], found["recipe own.identity"]) == ("project", "built in")
    named = overture.build(str(tmp_path / "own.toml"), cwd=tmp_path, home=tmp_path / "home")
    assert tiers(named)["recipe own.a"] == "user"
