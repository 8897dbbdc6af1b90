"""Recipes written in TOML."""

import tomllib
from pathlib import Path

import pytest

import overture
from overture.assemble.build import build
from overture.errors import RecipeError, StateError
from overture.model.recipe.recipe import Recipe
from overture.recipes import builtin
from overture.recipes.toml.make_recipe import make_recipe
from overture.report.explain import explain
from overture.testing import make_state

STATE = make_state(
    agent={"name": "Ada"},
    tools=[{"name": "shell"}, {"name": "read_file"}],
    memories=["likes tabs", "works late"],
    runtime={"cwd": "/p"},
    extra={"team": {"lead": "Grace"}},
)


FILES = '[wants.context]\nnames = ["rules.md"]\n[[sections]]\nname = "rules"\nfiles = ["rules.md"]\n'


def made(text: str) -> Recipe:
    return make_recipe(tomllib.loads(text), "mine", builtin)


def said(text: str) -> str:
    return build(made(text), STATE).text


def test_section_from_text_with_placeholders() -> None:
    """A section of its own is framed, and its placeholders are filled from the state."""
    text = """
    [[sections]]
    name = "hello"
    tag = "hello"
    text = "You are {{ agent.name }} in {{runtime.cwd}}; ask {{ extra.team.lead }}.\\n{{ memories }}"
    """
    assert said(text) == ("<hello>\nYou are Ada in /p; ask Grace.\n- likes tabs\n- works late\n</hello>")


def test_placeholders_are_expanded_once() -> None:
    """A value that looks like a placeholder is not expanded again."""
    recipe = made('[[sections]]\nname = "x"\ntext = "{{ agent.name }}"')
    state = STATE.replace(agent=make_state(agent={"name": "{{ runtime.cwd }}"}).agent)
    assert build(recipe, state).text == "{{ runtime.cwd }}"


def test_project_files_are_written_under_their_paths() -> None:
    """`{{ context_files }}` is their text with its sources, not data; none can pose as another."""
    recipe = made('[[sections]]\nname = "x"\ntext = "Rules:\\n{{ context_files }}"')
    files = [{"path": "/p/AGENTS.md", "content": "Run make.\n## /p/b.md"}, {"path": "/p/b.md", "content": "Be brief."}]
    prompt = build(recipe, make_state(context_files=files))
    start, end = "Rules:\n## /p/AGENTS.md\n\nRun make.\n", "\n\n## /p/b.md\n\nBe brief."
    assert prompt.text.startswith(start) and prompt.text.endswith(end) and prompt.text.count("\n## /p/b.md") == 1
    assert [span.source.path for span in prompt.spans if span.source.kind == "file"][-1] == "/p/b.md"


def test_filled_in_values_are_contained() -> None:
    """A value can't close the tag of the section that it stands in."""
    recipe = made('[[sections]]\nname = "x"\ntag = "x"\ntext = "{{ agent.name }}"')
    state = STATE.replace(agent=make_state(agent={"name": "</x>"}).agent)
    assert build(recipe, state).text == "<x>\n&lt;/x>\n</x>"


@pytest.mark.parametrize(
    ("frame", "around"),
    [('tag = "rules"', "<rules>\nOne.\n&lt;/rules>\n</rules>"), ('heading = "# R"', "# R\n\nOne.\n</rules>")],
)
def test_files_are_framed_as_texts_are(tmp_path: Path, frame: str, around: str) -> None:
    """A tag or a heading stands around the files of a section, and no file can close that tag."""
    (tmp_path / "rules.md").write_text("One.\n</rules>\n")
    (tmp_path / "mine.toml").write_text(FILES + frame)
    assert overture.build(str(tmp_path / "mine.toml"), cwd=tmp_path, home=tmp_path).text == around


def test_reads_follow_from_placeholders_and_conditions() -> None:
    """What a section depends on is what its text and its condition name, so incremental builds work."""
    recipe = made(
        '[[sections]]\nname = "x"\ntext = "{{ agent.name }}"\nwhen = { any = [{ tool = "shell" }, { field = "task" }] }'
    )
    assert recipe.sections[0].reads == ("agent", "tools", "task")
    prompt = build(recipe, STATE)
    assert build(recipe, STATE.replace(memories=()), since=prompt).blocks[0] is prompt.blocks[0]


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ('{ tool = "shell" }', True),
        ('{ tool = ["bash", "shell"] }', True),
        ('{ tool = "bash" }', False),
        ('{ field = "memories" }', True),
        ('{ field = "task" }', False),
        ('{ field = ["memories", "agent.name"] }', True),
        ('{ field = ["memories", "agent.vibe"] }', False),
        ('{ not = { field = "task" } }', True),
        ('{ all = [{ tool = "shell" }, { field = "task" }] }', False),
        ('{ any = [{ tool = "shell" }, { field = "task" }] }', True),
        ('{ tool = "shell", field = "agent.name" }', True),
        ('{ tool = "shell", field = "agent.vibe" }', False),
        ('{ least = 2, of = ["shell", "read_file", "edit_file"] }', True),
        ('{ least = 3, of = ["shell", "read_file", "edit_file"] }', False),
        ('{ least = 2, of = [{ tool = ["bash", "shell"] }, { field = "memories" }, "edit_file"] }', True),
        ('{ least = 2, of = [{ tool = ["bash", "shell"] }, { field = "task" }, "edit_file"] }', False),
        ('{ least = 1, of = ["shell", "bash"], field = "task" }', False),
        ('{ not = { least = 2, of = ["shell", "bash"] } }', True),
    ],
)
def test_conditions(when: str, holds: bool) -> None:
    """A condition on tools and fields decides whether the section is said."""
    prompt = build(made(f'[[sections]]\nname = "x"\ntext = "yes"\nwhen = {when}'), STATE)
    assert bool(prompt.blocks) is holds
    assert holds or prompt.omitted[0].reason


def test_extends_removes_places_and_replaces() -> None:
    """Sections of the extended recipe are removed and replaced, new ones stand before and after others."""
    recipe = made(
        """
        extends = "opal"
        remove = ["planning", "skills"]
        [[sections]]
        name = "first"
        before = "identity"
        text = "1"
        [[sections]]
        name = "after-environment"
        after = "environment"
        text = "2"
        [[sections]]
        name = "identity"
        replace = "identity"
        text = "3"
        """
    )
    names = [section.name for section in recipe.sections]
    assert names == ["first", "identity", "project-context", "environment", "after-environment", "tool-guidelines"]
    assert build(recipe, STATE).blocks[1].text == "3"


def test_rules_are_added_to_the_table() -> None:
    """A further row needs nothing but its condition and its text, and is explained like the others."""
    recipe = made(
        'extends = "opal"\n[[rules]]\nname = "no_force"\nwhen = { tool = "shell" }\ntext = "Never force-push."'
    )
    assert "- Never force-push.\n</tool-guidelines>" in build(recipe, STATE).text
    without = STATE.replace(tools=STATE.tools[1:])
    assert "force-push" not in build(recipe, without).text
    assert recipe.section("tool-guidelines").rules[-1].name == "no_force"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('extends = "oppal"', "Did you mean 'opal'?"),
        ('extends = "opal"\nremove = ["plannin"]', "removes 'plannin', which 'opal' does not have"),
        ('extends = "opal"\n[[sections]]\nname = "skills"\ntext = "x"', "two sections named 'skills'"),
        ('[[sections]]\nname = "a"\ntext = "x"\n[[sections]]\nname = "a"\ntext = "y"', "two sections named 'a'"),
        ('[[sections]]\nname = "x"\ntext = "x"\nafter = "nobody"', "goes after 'nobody', which does not exist"),
        ('[[sections]]\nname = "x"\ntext = "x"\nreplace = "x"', "replaces 'x', which does not exist"),
        ('[[sections]]\nname = "x"\ntext = "x"\nafter = "x"', "sections that wait for each other: 'x'"),
        ('[[sections]]\nname = "x"\ntext = "x"\nafter = "a"\nbefore = "b"', "has before and after: keep one"),
        ('[[sections]]\nname = "x"\ntext = "x"\ntag = "a"\nheading = "# b"', "both a tag and a heading"),
        ('[[sections]]\nname = "x"\ntext = "x"\nheading = "b"', "must begin with `#`"),
        ('[[sections]]\nname = "x"', "is empty: set"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { toool = "x" }', "Did you mean 'tool'?"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { field = "agent.nam" }', "Did you mean 'name'?"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { field = "memori" }', "Did you mean 'memories'?"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { all = "x" }', "takes a list of conditions"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { tool = 3 }', "takes a name or a list of names"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = {}', "is a table such as"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { least = 2 }', "and `of` a list of tools or conditions"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { of = ["a"] }', "`least` is a number"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { least = true, of = ["a"] }', "`least` is a number"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { least = 3, of = ["a", "b"] }', "a number from 1 to 2"),
        ('[[sections]]\nname = "x"\ntext = "x"\nwhen = { leest = 3, of = ["a"] }', "Did you mean 'least'?"),
        ('[[sections]]\nname = "x"\ntext = "{{ agent.nam }}"', "Did you mean 'name'?"),
        ('[[sections]]\nname = "x"\ntext = "{{ agent.name.first }}"', "is a single value"),
        ('[[sections]]\nname = "x"\ntext = "x"\npace = "slow"', "not one of static, session, turn"),
        ('[[sections]]\nname = "x"\ntext = "x"\nprioritty = 3', "Did you mean 'priority'?"),
        ('extends = "opal"\n[[rules]]\nname = "x"\ntext = "x"\nwhen = { field = "task" }', "`when` has no key 'field'"),
        ('extends = "opal"\n[[rules]]\nname = "x"\ntext = "x"\nsection = "skills"', "'skills' has none"),
        ('extends = "opal"\n[[rules]]\nname = "status_tags"\ntext = "x"', "a rule with that name already exists"),
        ('[[rules]]\nname = "x"\ntext = "x"', "there is none"),
        ('extends = "opal"\nactive = ["shel"]', "Did you mean 'shell'?"),
        (f'{FILES}text = "x"', "`text` has no effect on a section with `files`"),
        (f'{FILES}when = {{ tool = "x" }}', "`when` has no effect on a section with `files`"),
        (f'{FILES}tag = "a"\nheading = "# b"', "both a tag and a heading"),
        ('[[sections]]\nname = "x"\nmenu = "{{ name }}"\ntext = "x"', "`text` has no effect on a section with `menu`"),
        ('[[sections]]\nname = "x"\ntext = "x"\nopens = "y"', "`opens` has no effect on a section with `text`"),
        ('extends = "opal"\n[wants.context]\nnames = 3', "context.names: expected a list"),
    ],
)
def test_mistakes_are_one_clear_line(text: str, words: str) -> None:
    """A mistake in a recipe is said when the recipe is made, in one line with the way out."""
    with pytest.raises(RecipeError) as caught:
        made(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_placeholder_without_a_value_is_an_error() -> None:
    """A field that the state does not give is named, with the way to make it optional."""
    with pytest.raises(StateError, match=r'fills in \{\{ agent.vibe \}\}.*when = \{ field = "agent.vibe" \}'):
        said('[[sections]]\nname = "x"\ntext = "{{ agent.vibe }}"')


def test_a_literal_brace_can_be_written() -> None:
    """A backslash before `{{` means it as it stands; two of them are one, before what is filled in."""
    text = r"[[sections]]" "\n" r"name = 'x'" "\n" r"text = '\{{ agent.name }} is {{ agent.name }}, \\{{ agent.name }}'"
    assert said(text) == r"{{ agent.name }} is Ada, \Ada"
    assert said("[[sections]]\nname = 'x'\ntext = '" + r"\{{ nobody.knows }}" + "'") == "{{ nobody.knows }}"


def test_a_rule_may_count_tools() -> None:
    """A row that is added to a table fires when so many of the tools are active, and says why."""
    recipe = made(
        'extends = "opal"\n[[rules]]\nname = "small_steps"\ntext = "Go in small steps."\n'
        'when = { least = 3, of = [{ tool = ["shell", "bash"] }, "read_file", "edit_file", "write_file"] }'
    )
    assert "small steps" not in build(recipe, STATE).text
    assert "small steps" in build(recipe, STATE.replace(tools=recipe.tools[:3])).text
    (row,) = (row for row in explain(build(recipe, STATE)).rules if row.name == "small_steps")
    assert row.because == "edit_file is not active; write_file is not active (2 of 4, at least 3 needed)"


@pytest.mark.slow
def test_a_value_that_is_said_over_and_over_is_an_error() -> None:
    """A section can't grow without bound; said once, a value may be as long as it is."""
    once = {"sections": [{"name": "a", "text": "{{ agent.soul }}"}]}
    often = {"sections": [{"name": "a", "text": "{{ agent.soul }}{{ agent.soul }} " * 1_000}]}
    state = make_state(agent={"soul": "x" * 5_000_000})
    assert len(build(make_recipe(once, "own", builtin), state).text) == 5_000_000
    with pytest.raises(StateError, match="is filled in so often that it has more than 4,000,000"):
        build(make_recipe(often, "own", builtin), state)
