"""The page's texts: all of them in strings.js, each used, and none used that is not there."""

import re
from importlib.resources import files
from pathlib import Path

STATIC = Path(str(files("overture.web") / "static"))
CALLS = re.compile(r"(?<![.\w])(?<!function )(?:say|tell)\(")
NAMED = re.compile(r'(?<![.\w])(?:say|tell)\("(\w+)"')
SENTENCE = re.compile(r">(?!overture )[^<>${}`\n]*[A-Za-z]{3,} [A-Za-z]{2,}[^<>${}`\n]*<")
"""Words between two tags of a template, other than a command."""


def strings() -> list[str]:
    """The names of the texts, as the file has them."""
    return re.findall(r"^  (\w+): \"", (STATIC / "strings.js").read_text("utf-8"), re.MULTILINE)


def scripts() -> dict[str, str]:
    """The page's own scripts, without the one that defines `say` and `tell`."""
    own = (
        path
        for path in STATIC.rglob("*.js")
        if "vendor" not in path.parts and path.name not in ("say.js", "strings.js")
    )
    return {path.name: path.read_text("utf-8") for path in own}


def test_every_text_that_is_used_exists_and_every_one_that_exists_is_used() -> None:
    """Names in strings.js are exactly those that scripts say, each once and in order."""
    names = strings()
    assert set(names) == {name for text in scripts().values() for name in NAMED.findall(text)}
    assert names == sorted(set(names), key=lambda name: (name.lower(), name))
    assert len(names) > 400


def test_a_text_is_named_where_it_is_used() -> None:
    """Each `say(` and `tell(` begins with its name: one that is computed could not be found."""
    for name, text in scripts().items():
        assert len(CALLS.findall(text)) == len(NAMED.findall(text)), name


def test_no_script_has_a_text_of_its_own() -> None:
    """Two words between tags are a text, and texts are in strings.js."""
    assert SENTENCE.search("<p>Nothing is wrong</p>")
    assert {name: found for name, text in scripts().items() if (found := SENTENCE.findall(text))} == {}
