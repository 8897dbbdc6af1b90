"""A condition that counts: so many of these tools are active."""

import pytest

from overture.errors import RecipeError
from overture.model.recipe.rule import all_of, at_least, has, lacks

SHELL = has("shell", "bash", "zsh")
FILES = at_least(3, SHELL, "read", "edit", "write")


@pytest.mark.parametrize(
    ("active", "holds"),
    [
        (["shell", "read", "edit", "write"], True),
        (["read", "edit", "write"], True),
        (["shell", "read", "edit"], True),
        (["shell", "bash", "zsh", "read"], False),
        (["read", "edit", "other"], False),
        ([], False),
    ],
)
def test_a_rule_may_count(active: list[str], holds: bool) -> None:
    """At least three of the shell, read, edit and write tools: any shell counts once."""
    assert FILES.holds(frozenset(active)) is holds


def test_it_says_why() -> None:
    """The reason names what decides, and how many there are."""
    assert FILES.because(frozenset(("bash", "read", "edit"))) == (
        "bash is active; read is active; edit is active (3 of 4, at least 3 needed)"
    )
    assert FILES.because(frozenset(("read", "edit"))) == (
        "none of shell, bash, zsh is active; write is not active (2 of 4, at least 3 needed)"
    )


def test_it_can_be_read() -> None:
    """In words it says how many of what."""
    assert str(at_least(2, "read", "edit", "write")) == "at least 2 of: (read active), (edit active), (write active)"


def test_it_rests_on_a_tool_where_none_can_be_spared() -> None:
    """With exactly as many as are needed, each is one without which it would not hold; with more, none is."""
    assert FILES.rests_on(frozenset(("bash", "read", "edit"))) == "bash"
    assert FILES.rests_on(frozenset(("bash", "read", "edit", "write"))) == ""


def test_conditions_can_be_counted_within_others() -> None:
    """It is a condition like any other."""
    both = all_of(at_least(1, "a", "b"), lacks("c"))
    assert both.holds(frozenset("a"))
    assert not both.holds(frozenset("ac"))


@pytest.mark.parametrize(("least", "names"), [(0, ("a", "b")), (3, ("a", "b")), (2, ("a", "a")), (1, ())])
def test_a_count_that_says_nothing_is_refused(least: int, names: tuple[str, ...]) -> None:
    """One that always or never holds is a slip."""
    with pytest.raises(RecipeError, match=rf"at_least\({least}, …\) of {len(set(names))} conditions?:"):
        at_least(least, *names)
