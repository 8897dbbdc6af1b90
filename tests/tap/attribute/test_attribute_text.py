"""Which file and line each stretch of a captured text is from."""

import json
from html import escape
from textwrap import indent

import pytest

from overture.tap.attribute.source_lines import LikelyFiles

from .known import attribute_text, summarize, told

pytestmark = pytest.mark.slow


PAGE = """# Rules

Use tabs for indentation in all Go files of this project.
Never push to main.

```
make test
```

- Keep changes small & easy to "read" for everyone.
"""
SKILL = "---\nname: brew\ndescription: Makes fine coffee\n---\n\nGrind the beans and pour the water over them slowly.\n"
FILES = {"/p/AGENTS.md": PAGE, "/p/.agents/skills/brew/SKILL.md": SKILL}


def test_a_page_among_the_agents_own_words() -> None:
    """A file that is sent as it is is one span, fences and blank lines included; what stands around it is no file's."""
    text = f"You are a helper.\n<file>\n{PAGE}</file>\nBe kind to everybody you meet on the way."
    (span,) = attribute_text(text, FILES)
    assert (span.path, span.line, span.last_line, span.how) == ("/p/AGENTS.md", 1, 10, "as it is")
    assert text[span.start : span.end] == PAGE.rstrip("\n")


@pytest.mark.parametrize(
    ("sent", "how"),
    [
        (indent(PAGE, "    "), "trimmed"),
        (indent(PAGE, "> ", lambda _: True), "trimmed"),
        (PAGE.replace("# Rules", "### Rules").replace("\n", "  \n"), "trimmed"),
        ("".join(f"{number:6}\t{line}\n" for number, line in enumerate(PAGE.splitlines(), 1)), "trimmed"),
        ("".join(f"{number:6}→{line}\n" for number, line in enumerate(PAGE.splitlines(), 1)), "trimmed"),
        (json.dumps({"content": PAGE}), "escaped"),
        (json.dumps(json.dumps({"content": PAGE})), "escaped"),
        (" ".join(PAGE.split()), "rewrapped"),
    ],
)
def test_a_page_in_another_dress(sent: str, how: str) -> None:
    """Indented, quoted, numbered, escaped or wrapped, a file is known by its words, and said to be so."""
    assert told(f"Here it is:\n{sent}\nThat was it.", FILES) == [("/p/AGENTS.md", 1, 10, how)]


def test_a_line_that_is_escaped_as_xml() -> None:
    """Entities are undone; the lines are those of the file."""
    assert told(f"Here:\n{escape(PAGE)}", FILES) == [("/p/AGENTS.md", 1, 10, "trimmed")]


def test_letters_that_json_escapes() -> None:
    """`é` and its escape are the same letter; so are Chinese letters, which have no blanks between them."""
    page = "Über die Brücke gehen wir täglich, spät und früh.\n请始终使用简体中文回答用户的问题。\n"
    assert told(json.dumps(page), {"/p/A.md": page}) == [("/p/A.md", 1, 2, "escaped")]
    assert told(f"x {page}", {"/p/A.md": page}) == [("/p/A.md", 1, 2, "as it is")]


def test_frontmatter_that_was_taken_out() -> None:
    """The body alone is attributed to its own lines."""
    assert told(f"Skill:\n{SKILL.split('---')[2]}", FILES) == [("/p/.agents/skills/brew/SKILL.md", 6, 6, "as it is")]


def test_a_description_in_a_menu() -> None:
    """A skill's name and description come from its frontmatter, however short they are."""
    spans = told("You have skills:\n- brew: Makes fine coffee (file: SKILL.md)\n- other: Does other things\n", FILES)
    path = "/p/.agents/skills/brew/SKILL.md"
    assert spans == [(path, 2, 2, "trimmed"), (path, 3, 3, "trimmed")]


def test_a_description_that_was_shortened() -> None:
    """The first words of a description below its name are enough, and are said to be cut."""
    skill = SKILL.replace("fine coffee", "fine coffee for all who ask politely")
    spans = told("<name>brew</name>\n<description>Makes fine coffee for...</description>", {"/p/s/SKILL.md": skill})
    assert spans == [("/p/s/SKILL.md", 2, 2, "trimmed"), ("/p/s/SKILL.md", 3, 3, "cut")]


def test_a_folded_description() -> None:
    """YAML's folded text is one description."""
    skill = "---\nname: brew\ndescription: >-\n  Makes fine coffee\n  for everyone.\n---\nBody.\n"
    spans = told("- brew: Makes fine coffee for everyone.", {"/p/s/SKILL.md": skill})
    assert spans == [("/p/s/SKILL.md", 2, 2, "trimmed"), ("/p/s/SKILL.md", 4, 5, "rewrapped")]


def test_where_a_file_was_cut() -> None:
    """Of a file that ends before its end, the last line that was sent whole is said, with how many there are."""
    page = "".join(
        f"Line {number} says something about the harbour and its {number * 7} ships.\n" for number in range(1, 41)
    )
    for sent, last in ((page[: page.index("Line 21 ")], 20), (page[: page.index("Line 21 ") + 40], 20)):
        (file,) = summarize(f"<a>\n{sent}\n... [truncated]\n</a>", {"/p/A.md": page})
        assert (file.line, file.cut, file.lines, file.part) == (1, last, 40, False)


def test_what_was_left_out_of_the_middle_of_a_file() -> None:
    """A file whose beginning and end were sent is not whole: the lines between are named."""
    page = "".join(
        f"Line {number} says something about {number * 7} ships of the harbour.\n" for number in range(1, 41)
    )
    files = {"/p/A.md": page}
    sent = f"{page[: page.index('Line 9 ')]}... [omitted] ...\n{page[page.index('Line 31 ') :]}"
    (file,) = summarize(sent, files)
    assert (file.line, file.last_line, file.cut, file.gaps) == (1, 40, None, ((9, 30),))
    (whole,) = summarize(page, files)
    assert whole.gaps == ()


def test_a_file_that_was_sent_whole_is_not_cut() -> None:
    """Blank lines at the end, or frontmatter that was taken out, are no cut; a description alone is a part."""
    whole, menu = summarize(f"{PAGE}\n\n- brew: Makes fine coffee\n", FILES)
    assert (whole.cut, whole.part, menu.cut, menu.part) == (None, False, None, True)
    (body,) = summarize(SKILL.split("---")[2], FILES)
    assert (body.line, body.cut, body.part) == (6, None, False)


def test_short_lines_say_nothing_alone() -> None:
    """A heading, a fence or a command that many files have is the agent's own, unless its neighbours are the file's."""
    assert told("## Rules\n\n---\n\n```\nmake test\n```\n", FILES) == []
    around = PAGE.replace("make test", "make test").replace("Never push to main.", "Always push to a branch of yours.")
    assert told(around, FILES) == [
        ("/p/AGENTS.md", 1, 3, "as it is"),
        ("/p/AGENTS.md", 4, 4, "changed"),
        ("/p/AGENTS.md", 6, 10, "as it is"),
    ]


def test_short_lines_between_others() -> None:
    """A short line between two lines of a file that changed is the file's where the order agrees."""
    page = (
        f"{PAGE}\nOne more line that stands here for the order.\nGo on.\nThe last line of them all stands right here.\n"
    )
    sent = page.replace("here for the order", "HERE FOR ANOTHER").replace("The last line", "This is the last line")
    assert ("/p/AGENTS.md", 13, 13, "as it is") in told(sent, {"/p/AGENTS.md": page})


def test_a_path_is_not_from_the_files_that_name_it() -> None:
    """A long path that a settings file holds too is no sign of that file."""
    files = {"/p/settings.toml": 'trusted = ["/srv/work/teams/harbour/main/services/berths/app/src"]\n'}
    assert told("cwd: /srv/work/teams/harbour/main/services/berths/app/src\n", files) == []


def test_a_listing_of_folders_is_not_from_a_file_that_names_them() -> None:
    """The steps of a path, one a line, are no text of a file in which the path stands in a sentence."""
    files = {"/p/A.md": "Look at srv/work/teams/harbour/main/services/berths/app/src first.\n"}
    tree = "├── srv/\n│  work/\n│  teams/\n│  harbour/\n│  main/\n│  services/\n│  berths/\n│  app/\n│  src/\n"
    assert told(tree, files) == []


def test_the_longest_match_wins() -> None:
    """A file that has a paragraph of another's, and more of what was sent, is the source of all of it."""
    longer = f"{PAGE}\nAnd whoever reads this far gets a cup of tea.\n"
    assert told(longer, {"/p/a/AGENTS.md": PAGE, "/p/AGENTS.md": longer}) == [("/p/AGENTS.md", 1, 12, "as it is")]


def test_of_equal_files_the_likely_one() -> None:
    """Of two files with one text it is the one that is loaded, then the one nearer to the working directory."""
    files = {"/p/a/A.md": PAGE, "/p/A.md": PAGE, "/p/b/c/A.md": PAGE}
    assert told(PAGE, files, LikelyFiles(("/p/b/c/A.md",), "/p/a"))[0][0] == "/p/b/c/A.md"
    assert told(PAGE, files, LikelyFiles((), "/p/a"))[0][0] == "/p/a/A.md"
    (span,) = attribute_text(PAGE, files, LikelyFiles((), "/p/a"))
    assert set(span.also) == {"/p/A.md", "/p/b/c/A.md"}


def test_of_equal_files_the_one_that_is_named() -> None:
    """Where the path stands right before the text, it is that one; sent twice, it is one after the other."""
    files = {"/p/a/A.md": PAGE, "/p/A.md": PAGE}
    assert told(f"Contents of /p/A.md:\n{PAGE}", files, LikelyFiles(("/p/a/A.md",)))[0][0] == "/p/A.md"
    twice = told(f"{PAGE}\nand now for something else\n{PAGE}", files, LikelyFiles(("/p/a/A.md", "/p/A.md")))
    assert [path for path, *_ in twice] == ["/p/a/A.md", "/p/A.md"]


def test_a_text_that_hundreds_of_files_share() -> None:
    """A boilerplate that stands everywhere is attributed to the file that is loaded."""
    files = {
        f"/p/{number}/A.md": f"{PAGE}\nOf {number}: the team's own line number {number}.\n" for number in range(200)
    }
    spans = told(PAGE, files, LikelyFiles(("/p/77/A.md",)))
    assert spans == [("/p/77/A.md", 1, 10, "as it is")]


def test_files_that_follow_each_other_here_as_there() -> None:
    """Pages that are sent in the order in which they are known stay pages of their own."""
    pages = {f"/p/{at}.md": f"This is page number {at} of a book about {at * 37} harbours.\n" for at in range(5)}
    assert told("".join(pages.values()), pages) == [(path, 1, 1, "as it is") for path in pages]


def test_nothing_is_from_nowhere() -> None:
    """An empty text, an empty index, and a file without words have no spans."""
    assert told("", FILES) == told(PAGE, {}) == told("---\n\n```\n", {"/p/A.md": "---\n\n```\n", "/p/B.md": ""}) == []
