import pytest

from overture.session.prompt_templates import fill_prompt_template, split_arguments
from tests.contract.session.worlds import project, session


@pytest.mark.parametrize(
    ("template", "given", "expected"),
    [
        ("a=$1 b=$2", "x y", "a=x b=y"),
        ("$@", "x y z", "x y z"),
        ("$ARGUMENTS", "x 'y z'", "x y z"),
        ("${@:2}", "x y z", "y z"),
        ("${@:2:1}", "x y z", "y"),
        ("${@:0}", "x y", "x y"),
        ("${@:9}", "x y", ""),
        ("$3", "x y", ""),
        ("$0", "x", ""),
        ("$10", "a b c d e f g h i j", "j"),
        ("$99999999999999999999", "x", ""),
        ("cost: $ 5, $x, ${y}, $ARGUMENTSX", "x", "cost: $ 5, $x, ${y}, $ARGUMENTSX"),
        ("$1$1", "ä€🚢", "ä€🚢ä€🚢"),
        ("no places", "x", "no places"),
        ("$1|$2", "'one word' \"two words\"", "one word|two words"),
        ("$1|$2", "a'b c'd e", "ab cd|e"),
        ("$1|$2", "'' x", "|x"),
        ("$1", "'never ended", "never ended"),
    ],
)
def test_places_are_filled(template: str, given: str, expected: str) -> None:
    """Every kind of place takes what it stands for; what is not given is empty; what is no place stays."""
    assert fill_prompt_template(template, split_arguments(given)) == expected


@pytest.mark.parametrize("value", ["$ARGUMENTS", "$@", "$1", "$2", "${@:1}", "${@:2:1}"])
def test_a_value_is_never_expanded_again(value: str) -> None:
    """An argument that looks like a place comes out as it went in, through every kind of place."""
    assert (
        fill_prompt_template("$1 $@ $ARGUMENTS ${@:1:1}", split_arguments(f"'{value}' y"))
        == f"{value} {value} y {value} y {value}"
    )


def test_a_template_of_the_project_is_called_by_name() -> None:
    """`/name args` is the template's text, without its frontmatter; the project's wins over home's."""
    world = project(**{".sf/prompts/review.md": "---\ndescription: Reviews.\n---\n\nReview $1 for $2.\n"})
    world.files["/home/user/.sf/agent/prompts/review.md"] = b"Other."
    world.files["/home/user/.sf/agent/prompts/plan.md"] = b"Plan $@."
    live = session("pi", world)
    assert live.turn("/review main.py 'dead code'").messages[-1].text == "Review main.py for dead code."
    turn = live.turn("/plan a day")
    assert (turn.messages[-1].text, turn.messages[-1].typed) == ("Plan a day.", "/plan a day")


@pytest.mark.parametrize("text", ["/unknown x", "/", "a /review b", "/etc/passwd is a file", "// note"])
def test_what_calls_no_template_stays(text: str) -> None:
    """Text that begins with a slash and names no template is sent as it is."""
    live = session("pi", project(**{".sf/prompts/review.md": "Review."}))
    assert live.turn(text).messages[-1].text == text


def test_a_template_does_not_grow_without_bound() -> None:
    """A template that says its arguments a hundred thousand times is sent unfilled, with a warning."""
    live = session("pi", project(**{".sf/prompts/flood.md": "$@" * 100_000}))
    turn = live.turn(f"/flood {'x' * 1_000}")
    assert turn.messages[-1].text == f"/flood {'x' * 1_000}"
    [note] = [note for note in turn.entry.diagnostics if note.code == "template-large"]
    assert note.message.startswith("the template '/flood' is sent unfilled: with these arguments it has more than")
