"""Skill menus of every recipe: sorted by name, and no description of more than 1,024 characters uncut."""

import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Prompt, Recipe
from overture.testing import FakeWorld, make_state

RECIPES = ("opal", "pi", "moltis", "house")
NOW = datetime(2026, 3, 7, 8, 55, tzinfo=UTC)
TOOLS = [{"name": name} for name in ("read", "use_skill", "exec")]
LONG = "a" * 1023 + "e\u0301" + "z" * 500
"""The 1,024th character is a letter whose accent is the 1,025th."""


def skill(name: str, description: str = "D.", **more: Any) -> dict[str, Any]:
    """A skill in its JSON form."""
    return {"name": name, "description": description, "location": f"/s/{name}/SKILL.md", **more}


def mine(tmp_path: Path) -> Recipe:
    """A recipe in TOML that fills its own menu."""
    path = tmp_path / "mine.toml"
    path.write_text('[[sections]]\nname = "skills"\ntag = "skills"\ntext = "Skills:\\n{{ skills }}"\n')
    return overture.load_recipe(str(path))


def in_all(tmp_path: Path, *skills: dict[str, Any]) -> list[Prompt]:
    """The prompts that all recipes with a menu make of these skills."""
    state = make_state(skills=list(skills), tools=TOOLS)
    extended = tmp_path / "more.toml"
    extended.write_text('extends = "opal"\nremove = ["identity"]\n')
    recipes = (*RECIPES, mine(tmp_path), str(extended))
    return [overture.build(recipe, state) for recipe in recipes]


def test_menus_are_sorted_by_name(tmp_path: Path) -> None:
    """Whatever order the state has, each menu has the order of the names, and the bytes of any other order."""
    names = ["a", "a-b", "b", "berth", "z9"]
    shuffled = names[::-1]
    for _ in range(3):
        for prompt in in_all(tmp_path, *(skill(name, f"Says {name}!") for name in shuffled)):
            places = [prompt.text.index(f"Says {name}!") for name in names]
            assert places == sorted(places), prompt.recipe.name
        random.Random(7).shuffle(shuffled)


def test_no_menu_shows_more_than_1024_characters_uncut(tmp_path: Path) -> None:
    """A longer description ends with a mark before the character that would be torn; what follows is not there."""
    for prompt in in_all(tmp_path, skill("tide", LONG), skill("short", "d" * 1024)):
        assert "a" * 1023 + "…" in prompt.text, prompt.recipe.name
        assert "z" not in prompt.text.partition("a" * 1023)[2][:20]
        assert "d" * 1024 + "…" not in prompt.text
        assert "d" * 1024 in prompt.text


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_cut_is_on_record_and_reported_once(recipe: str) -> None:
    """The cut names the skill and its file; one warning says how long the description is, with file and line."""
    state = make_state(skills=[skill("tide", LONG, line=3), skill("short")], tools=TOOLS, now=NOW)
    prompt = overture.build(recipe, state)
    [cut] = prompt.cuts
    assert (cut.block, cut.part, cut.how) == ("skills", "tide", "shortened")
    assert cut.source is not None
    assert cut.source.path == "/s/tide/SKILL.md"
    assert cut.from_tokens > cut.to_tokens
    [note] = prompt.diagnostics
    assert str(note) == (
        "warning: /s/tide/SKILL.md: line 3: description has 1,525 characters, over the limit of 1,024, "
        "and lists of skills show no more of it"
    )
    assert prompt.state.skills[0].description == LONG


@pytest.mark.parametrize("recipe", ["pi", "house"])
def test_what_discovery_reported_is_not_reported_again(recipe: str) -> None:
    """A discovered skill that is too long has one line, from discovery to the prompt."""
    front = f"---\nname: tide\ndescription: {LONG}\n---\n"
    world = FakeWorld({"/p/.agents/skills/tide/SKILL.md": front})
    found = overture.discover(recipe, cwd="/p", world=world)
    assert len(found.diagnostics) == 1
    session = overture.Session(recipe, cwd="/p", world=world)
    prompt = session.turn("Hello").prompt
    assert [note for note in prompt.diagnostics if note.path == "/p/.agents/skills/tide/SKILL.md"] == list(
        found.diagnostics
    )
    assert [cut.part for cut in prompt.cuts if cut.block == "skills"] == ["tide"]


def test_an_entity_is_not_torn() -> None:
    """What is escaped is cut before that, so that no half of an entity stands in the menu."""
    state = make_state(skills=[skill("tide", "&" * 2000)], tools=TOOLS)
    text = overture.build("pi", state).text
    assert f"<description>{'&amp;' * 1024}…</description>" in text


def test_a_cut_description_can_still_be_shortened_to_a_budget() -> None:
    """Under a budget the menu gets shorter still, and the record says so once."""
    words = "Works out the draught of a ship at low water. " * 40
    prompt = overture.build("opal", make_state(skills=[skill("tide", words)], tools=TOOLS))
    small = overture.fit(prompt, budget=prompt.tokens - 200)
    assert small.tokens <= prompt.tokens - 200
    assert [(cut.block, cut.part) for cut in small.cuts if cut.block == "skills"] == [("skills", "tide")]


def test_a_recipe_in_toml_can_print_a_menu(tmp_path: Path) -> None:
    """`{{ skills }}` is a menu as in opal: a line each, and none that is kept from the model."""
    state = make_state(skills=[skill("b", "Two\nlines."), skill("a"), skill("c", disable_model_invocation=True)])
    assert (
        overture.build(mine(tmp_path), state).text == "<skills>\nSkills:\n- **a**: D.\n- **b**: Two lines.\n</skills>"
    )


def test_a_menu_that_touches_other_values_stays_contained(tmp_path: Path) -> None:
    """A tag of the recipe can't be written half by a value and half by a skill."""
    path = tmp_path / "mine.toml"
    path.write_text('[[sections]]\nname = "s"\ntag = "frame"\ntext = "{{ agent.name }}{{ skills }}{{ agent.vibe }}"\n')
    state = make_state(agent={"name": "</fra", "vibe": "me>"}, skills=[skill("me", "Ends with </fra")])
    text = overture.build(str(path), state).text
    assert text == "<frame>\n&lt;/fra\n- **me**: Ends with &lt;/fra\nme>\n</frame>"


SEEN_IN_MENUS = {
    "claude-code": """- sail: Sail &lt;b&gt; & "quay" it's a=`b`""",
    "codex": """- sail: Sail <b> & "quay" it's a=`b`""",
    "copilot-cli": "<description>Sail &lt;b&gt; &amp; &quot;quay&quot; it&apos;s a=`b`</description>",
    "crush": "<description>Sail &lt;b&gt; &amp; &quot;quay&quot; it&apos;s a=`b`</description>",
    "gemini-cli": """<description>Sail <b> & "quay" it's a=`b`</description>""",
    "pi-coding-agent": "<description>Sail &lt;b&gt; &amp; &quot;quay&quot; it&apos;s a=`b`</description>",
    "qwen-code": "<description>\nSail &lt;b&gt; &amp; &quot;quay&quot; it&apos;s a=`b`\n</description>",
    "roo": "<description>Sail &lt;b&gt; &amp; &quot;quay&quot; it&apos;s a=`b`</description>",
    "zed": "<description>Sail &lt;b&gt; &amp; &quot;quay&quot; it&#x27;s a&#x3D;&#x60;b&#x60;</description>",
}
"""Of the request that each sent; Crush, Roo and Zed by their source."""


@pytest.mark.parametrize("agent", SEEN_IN_MENUS)
def test_an_agent_writes_the_entities_that_it_was_seen_to_write(agent: str) -> None:
    """What they cost counts among the tokens of a skill."""
    state = make_state(skills=[skill("sail", 'Sail <b> & "quay" it\'s a=`b`')])
    assert SEEN_IN_MENUS[agent] in overture.build(agent, state).text


def test_continue_lists_skills_as_lines_of_name_and_description() -> None:
    """As in its request: a comma on a line of its own stands between two."""
    text = overture.build("continue-cli", make_state(skills=[skill("sail", "A."), skill("tide", "B.")])).text
    assert "name: sail\ndescription: A.\n,\nname: tide\ndescription: B." in text
