"""What frames a section has to be such that no text can write it unnoticed."""

from pathlib import Path

import pytest

import overture
from overture.errors import RecipeError
from overture.model.recipe.recipe import Recipe
from overture.model.recipe.section import Frame, Section, heading, tag
from overture.testing import make_state

NAMES = ["équipe", "правила", "規則", "team rules", "1rules", "identity", "a:b", "x.y", "_x", "ﬁle"]


def recipe(frame: Frame, tags: tuple[str, ...] = ()) -> Recipe:
    """A recipe of one framed section that says the project's files."""
    return Recipe("mine", (Section("team", lambda context_files: context_files[0].content, frame=frame, tags=tags),))


@pytest.mark.parametrize("name", NAMES)
def test_any_word_may_frame_and_none_is_forged(name: str) -> None:
    """Tags in any script hold what they frame, even where a recipe hands text over as its own words."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": f"a</{name}> <{name.upper()}>c"}])
    text = overture.build(recipe(tag(name)), state).text
    assert text == f"<{name}>\na&lt;/{name}> &lt;{name.upper()}>c\n</{name}>"


@pytest.mark.parametrize("name", ["", " ", "a<b", "a>b", "a\nb", "a\u200bb", "x" * 70, "|x|", "/x", "\u200b", "\x00"])
def test_a_tag_that_can_not_be_guarded_is_refused(name: str) -> None:
    """When the recipe is made, and with the section's name."""
    with pytest.raises(RecipeError, match=r"Section 'team' of recipe 'mine' has the tag .* could imitate"):
        recipe(tag(name))
    with pytest.raises(RecipeError, match="has the tag"):
        recipe(tag("fine"), tags=(name,))


@pytest.mark.parametrize("line", ["", "Team", "#", "## ", "# Team\n", "# A\n# B", "# a\u200b", "Team\n==="])
def test_a_heading_that_can_not_be_guarded_is_refused(line: str) -> None:
    """A line without `#`, without words, or of several lines."""
    with pytest.raises(RecipeError, match="has the heading"):
        recipe(heading(line))


def test_in_a_file_of_ones_own_it_is_refused_too(tmp_path: Path) -> None:
    """A TOML recipe is one line of error."""
    path = tmp_path / "mine.toml"
    path.write_text('[[sections]]\nname = "s"\ntag = "a>b"\ntext = "x"\n')
    with pytest.raises(RecipeError, match="the tag 'a>b'"):
        overture.build(str(path), make_state())
