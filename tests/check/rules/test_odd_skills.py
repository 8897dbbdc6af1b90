"""Skills whose frontmatter is spelled oddly: `check` and `skills` find each, and load it or not as the format says."""

from pathlib import Path

import pytest

from overture.discovery.place import locate
from overture.project.resolve import resolve
from overture.report_api import check

FINE = "name: {name}\ndescription: Plain words\n"
LOADED = {
    "hash": (FINE.replace("Plain words", "Fix issue #12 in C"), 3, "YAML ends the description before `#12 in C`"),
    "hash-later": (FINE.replace("Plain words", "Fix\n  it all #12"), 3, "YAML ends the description before `#12`"),
    "hash-tab": (FINE.replace("Plain words", "Fix\t#12 in C"), 3, "YAML ends the description before `#12 in C`"),
    "anchor": (FINE.replace("Plain", "&plain"), 3, "YAML removes `&plain` from description"),
    "tag": (FINE.replace("Plain", "!plain"), 3, "YAML removes `!plain` from description"),
    "license-empty": (FINE + "license:\n", 4, "license is empty"),
    "license-list": (FINE + "license: [MIT]\n", 4, "license is written as a list, `[MIT]`"),
    "license-number": (FINE + "license: 2\n", 4, "license is written as a number, `2`"),
    "tools-empty": (FINE + "allowed-tools:\n", 4, "allowed-tools is empty"),
    "tools-number": (FINE + "allowed-tools: 5\n", 4, "allowed-tools is written as a number, `5`"),
    "tools-map": (FINE + "allowed-tools: {a: b}\n", 4, "allowed-tools is written as a map, `{a: b}`"),
    "metadata-empty": (FINE + "metadata:\n", 4, "metadata is empty"),
    "metadata-text": (FINE + "metadata: words\n", 4, "metadata is written as a text, `words`, not as a map of strings"),
    "metadata-list": (FINE + "metadata: [a]\n", 4, "metadata is written as a list, `[a]`, not as a map of strings"),
    "twice": (FINE + "license: a\nlicense: b\n", 5, "'license' is given twice"),
}
"""A value that is odd and breaks no rule: frontmatter, the line of the finding, and how it begins."""
REFUSED = {
    "compatibility-empty": (FINE + "compatibility:\n", 4, "compatibility is empty"),
    "compatibility-blank": (FINE + 'compatibility: ""\n', 4, "compatibility is empty"),
    "compatibility-list": (FINE + "compatibility: [a]\n", 4, "compatibility is written as a list, `[a]`"),
    "compatibility-true": (FINE + "compatibility: true\n", 4, "compatibility is written as a bool, `true`"),
    "compatibility-long": (FINE + f"compatibility: {'x' * 501}\n", 4, "compatibility has 501 characters"),
}
"""A rule of the format that is broken: all recipes load it but those that skip what is invalid."""
BYTES = {
    "blank-line": (b"\n---\n{front}---\nBody\n", 1, "its frontmatter begins on line 2"),
    "blank-bom": (b"\xef\xbb\xbf\n---\n{front}---\nBody\n", 1, "its frontmatter begins on line 2"),
    "bom": (b"\xef\xbb\xbf---\n{front}---\nBody\n", 1, "it begins with a byte order mark"),
    "blanks-first": (b"---  \n{front}---\nBody\n", 1, "there are spaces after `---`"),
    "blanks-last": (b"---\n{front}---\t\nBody\n", 4, "there are spaces after `---`"),
    "latin": (b"---\n{front}---\nCaf\xe9\n", 5, "it is not UTF-8 from this line on"),
}
SILENT = {
    "crlf": b"---\r\nname: crlf\r\ndescription: Plain words\r\n---\r\nBody\r\n",
    "quoted": b'---\nname: quoted\ndescription: "Fix #12" # a remark\n---\nBody\n',
    "block": b"---\nname: block\ndescription: |\n  Fix #12\n---\nBody\n",
    "sharp": b"---\nname: sharp # a remark\ndescription: C#, F# and #1\n---\nBody\n".replace(b" and #1", b""),
    "tools": b"---\nname: tools\ndescription: Plain words\nallowed-tools: [Read, Bash(git:*)]\n---\nBody\n",
}
"""Nothing is lost, and no rule is broken."""


def found(folder: Path, name: str, data: bytes) -> tuple[list[tuple[int | None, str]], dict[str, bool]]:
    """What `check` finds in a skill, and which recipes list it."""
    path = folder / f".agents/skills/{name}/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    (folder / ".git").mkdir()
    home = folder / "home"
    home.mkdir()
    said = [(each.line, each.message) for each in check(cwd=folder, home=home).findings if each.path == str(path)]
    recipes = ("house", "opal")
    return said, {each: bool(resolve(each, locate(cwd=folder, home=home)).find().state.skills) for each in recipes}


@pytest.mark.parametrize("name", [*LOADED, *REFUSED])
def test_an_odd_value_is_found(name: str, tmp_path: Path) -> None:
    """With its line; only a broken rule keeps the skill from the recipe that skips what is invalid."""
    front, line, says = (LOADED | REFUSED)[name]
    front = front.replace("{name}", name)
    said, listed = found(tmp_path, name, f"---\n{front}---\nBody\n".encode())
    assert [at for at, message in said if message.startswith(says)] == [line], said
    assert listed == {"house": True, "opal": name in LOADED}


@pytest.mark.parametrize("name", BYTES)
def test_an_odd_beginning_is_found(name: str, tmp_path: Path) -> None:
    """Blank lines before frontmatter break the format; a mark, blanks and other bytes are only named."""
    data, line, says = BYTES[name]
    said, listed = found(tmp_path, name, data.replace(b"{front}", FINE.format(name=name).encode()))
    assert [at for at, message in said if message.startswith(says)] == [line], said
    assert listed == {"house": True, "opal": not name.startswith("blank-")}


@pytest.mark.parametrize("name", SILENT)
def test_what_loses_nothing_is_not_found(name: str, tmp_path: Path) -> None:
    """Other line ends, a comment behind quotes or a name, `#` inside a word or a block, tools as a list."""
    said, listed = found(tmp_path, name, SILENT[name])
    assert said == []
    assert listed == {"house": True, "opal": True}
