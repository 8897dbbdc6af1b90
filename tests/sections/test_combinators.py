from overture import Body, Recipe, Section, Skip, build
from overture.model.recipe.section import first_of, only_if
from overture.model.state.agent_and_runtime import Agent
from overture.sections.template import split_placeholders
from overture.testing import make_state
from overture.text.escape import escape_attribute, escape_xml, indent_lines


def own(agent: Agent | None) -> Body:
    return agent.soul if agent else None


def default(channel: str | None) -> Body:
    """Who it is."""
    return f"On {channel}."


WHO = Section("who", first_of(own, default))


def test_the_first_that_does_not_pass_speaks() -> None:
    """`first_of` uses the next body only if the one before returns None."""
    recipe = Recipe("mine", (WHO,))
    assert build(recipe, make_state(agent={"soul": "Mine."}, channel="cli")).text == "Mine."
    assert build(recipe, make_state(channel="cli")).text == "On cli."


def test_a_combined_body_reads_what_its_parts_read() -> None:
    """A section made with `first_of` depends on the fields of all of its bodies, and claims what the last one does."""
    assert WHO.reads == ("agent", "channel")
    assert WHO.claim == "Who it is."


def test_a_skip_ends_the_search() -> None:
    """A body that says why it skips is not overruled by the next."""
    recipe = Recipe("mine", (Section("who", first_of(lambda: Skip("not today"), default)),))
    assert [omission.reason for omission in build(recipe, make_state()).omitted] == ["not today"]


def test_only_if_gives_its_reason() -> None:
    """`only_if` leaves the section out, with the reason given, while its field is empty."""
    recipe = Recipe("mine", (Section("who", only_if("memories", default, "nothing is remembered")),))
    assert build(recipe, make_state(channel="cli", memories=["x"])).text == "On cli."
    assert [o.reason for o in build(recipe, make_state(channel="cli")).omitted] == ["nothing is remembered"]


def test_a_template_is_cut_without_losing_a_character() -> None:
    """The pieces of a template, literal and placeholder, join to the template and know their lines."""
    template = "a {{ x }}\n{{y.z}}{{x}} {{ 1 }} {{}} }} {{\nend"
    found = list(split_placeholders(template))
    assert "".join(text for text, _, _ in found) == template
    assert [(name, line) for _, name, line in found if name] == [("x", 1), ("y.z", 2), ("x", 2)]


def test_escaping_leaves_nothing_to_close() -> None:
    """XML text escapes all five characters; an attribute's value is on one line besides."""
    assert escape_xml("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;"
    assert escape_attribute("a\n\tb\x85\u2028") == r"a&#10;&#9;b\u{0085}&#8232;"


def test_indenting_leaves_blank_lines_blank() -> None:
    """Indented text has no trailing blanks."""
    assert indent_lines("a\n\n  \nb", "  ") == "  a\n\n\n  b"
