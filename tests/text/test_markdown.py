"""Our reader of Markdown agrees with CommonMark, by markdown-it-py, but for what is listed here with its reason."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block

from overture.text.markdown import (
    LINK,
    Heading,
    find_code_blocks,
    find_regions,
    group_blocks,
    make_heading,
    remove_comments,
    strip_block_comments,
    strip_links,
)
from tests.contract.effort import examples

ROOT = Path(__file__).parents[2]
THEIR_KINDS = {"fence": "F", "code_block": "I", "heading_open": "H", "hr": "=", "html_block": "<"}
OUR_KINDS = {"heading": "H", "underline": "H", "break": "=", "fence": "F", "code": "F", "indented": "I", "comment": "<"}
INDENT = (
    "four blanks below a quote or an item: markdown-it takes text, or code, for what CommonMark's own parser does not"
)


def read_comment(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A block of HTML that is a comment: the tags of a prompt frame Markdown."""
    begin = state.bMarks[start] + state.tShift[start]
    return state.src.startswith("<!--", begin) and html_block(state, start, end, silent)


COMMONMARK = MarkdownIt("commonmark", {"maxNesting": 1000})
PARSER = MarkdownIt("commonmark", {"maxNesting": 1000}).disable(["autolink", "html_inline"])
PARSER.block.ruler.at("html_block", read_comment, {"alt": ["paragraph", "reference", "blockquote"]})


def split(text: str) -> list[str]:
    """The lines, whatever ends them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def theirs(text: str, parser: MarkdownIt = PARSER) -> str:
    """A letter a line: what markdown-it makes of it."""
    kinds = ["-"] * len(split(text))
    for token in parser.parse(text):
        if token.type in THEIR_KINDS and token.map:
            for line in range(token.map[0], min(token.map[1], len(kinds))):
                kinds[line] = THEIR_KINDS[token.type]
    return shown(text, kinds)


def ours(text: str) -> str:
    """The same, by our reader; words above an underline are a heading."""
    kinds = []
    for block in group_blocks(text):
        heading = block[-1].kind == "underline"
        kinds += ["H" if heading else OUR_KINDS.get(line.kind, "-") for line in block]
    return shown(text, kinds)


def read_headings(text: str) -> list[Heading]:
    """The headings of a text, in order."""
    return [heading for block in group_blocks(text) if (heading := make_heading(text, block))]


def shown(text: str, kinds: list[str]) -> str:
    """Lines of nothing but blanks and `>` belong to whatever one likes."""
    return "".join(kind if line.strip(" \t>") else " " for kind, line in zip(kinds, split(text), strict=True))


BLOCKS = (
    *("```", "````", "~~~", "`", "\n", "\n", "\n", "\n\n", "> ", ">", "- ", "* ", "+", "1. ", "2) ", "10.", " ", "a"),
    *("- b\n", "  - b\n", "1. b\n", "**b** c", "`b` c", "1.5 b", "b\nc\n", "```\nb\n\nc\n```\n"),
    *("b c", "#", "## ", "---", "===", "<!--", "-->", "<div>", "</div>", "***", "_", "- - -", "\\", "x: y", "``` sh"),
)
INDENTS = ("```", "~~~", "\n", "\n", "\n\n", "    ", "  ", " ", "\t", "a", "#", "---", "===", "<!--", "-->", "`", "***")


@settings(max_examples=examples(400))
@given(st.lists(st.sampled_from(BLOCKS), max_size=25).map("".join))
def test_quotes_lists_fences_and_headings_are_those_of_commonmark(text: str) -> None:
    """Line by line, however they are nested."""
    if "    " not in text:  # INDENT
        assert ours(text) == theirs(text)


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from(INDENTS), max_size=25).map("".join))
def test_indented_code_and_tabs_are_those_of_commonmark(text: str) -> None:
    """Line by line, where no quote and no list is around."""
    assert ours(text) == theirs(text)


def test_our_own_pages_are_read_as_commonmark_reads_them() -> None:
    """Code blocks, headings and rules agree line by line."""
    files = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")])
    assert len(files) > 100
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert ours(text) == theirs(text), file


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("- a\n\n      code\n  ```\n  x\n  ```\ny", "- IFFF-"),
        ("- ```sh\n  x\ny", "FF-"),
        ("> ```\n> x\ny", "FF-"),
        ("> a\nlazy\n```\nx", "--FF"),
        ("1. a\n   - ```\n     x\n     ```\n\n         code", "-FFF I"),
        ("a\n2. ```\nb", "---"),
        ("a\n1. ```\nb", "-F-"),
        ("-\n\n  ```\n  x", "- FF"),
        ("- - -\n  ```\n  x", "=FF"),
        ("```a`b\nx", "--"),
        ("~~~a`b\nx\n~~~~\ny", "FFF-"),
        ("````\n```\n~~~\n````\nx", "FFFF-"),
        ("\tcode\n\n\t- code\na\n\ttext", "I I--"),
        ("-\t```\n\tx\n\t```\ny", "FFF-"),
        ("a\n<!--\n```\n-->\n```\nx", "-<<<FF"),
        ("<!-- a --> b\nc", "<-"),
        ("# a #\n####### b\n#c\n##", "H--H"),
        ("a\nb\n===\nc\n---\n\n---", "HHHHH ="),
        ("> a\n===", "--"),
        ("    a\n===", "I-"),
    ],
)
def test_blocks(text: str, kinds: str) -> None:
    """Fences in lists and quotes, indented code, tabs, comments, tildes, infos with backticks; whatever ends a line."""
    assert ours(text) == kinds == theirs(text)
    assert ours(text.replace("\n", "\r\n")) == ours(text.replace("\n", "\r")) == kinds


@pytest.mark.parametrize(
    ("text", "kinds", "reason"),
    [
        ("<rules>\n```\nx\n```\n</rules>", "-FFF-", "a prompt's tags frame Markdown, and are no HTML"),
        ("[a]: /b\n===", "HH", "a link's target may go on over lines; an underline below one is hardly written"),
        ("> # a\n    > b", "HI", INDENT),
        (">#\n    > b", "HI", INDENT),
    ],
)
def test_where_we_differ(text: str, kinds: str, reason: str) -> None:
    """Each deviation has its reason."""
    assert reason
    assert ours(text) == kinds != theirs(text, COMMONMARK)


SPANS = ("`", "``", "```", "\\", "a", " ", "b\n", "\n\n", "# ", "- ", "*", "[", "](", "|", "> ")


@settings(max_examples=examples(300))
@given(st.lists(st.sampled_from(SPANS), max_size=20).map("".join))
def test_code_spans_are_those_of_commonmark(text: str) -> None:
    """They end within their paragraph, with as many backticks as they begin with; a backslash takes one away."""
    found = [text[region.start : region.end] for region in find_regions(text) if region.kind == "span"]
    spans = [
        token.content for each in PARSER.parse(text) for token in each.children or () if token.type == "code_inline"
    ]
    assert [each.strip("`").replace(">", "").split() for each in found] == [
        each.strip("`").replace(">", "").split() for each in spans
    ]


def test_regions_have_their_places() -> None:
    """Code between fences, indented, in backticks, and comments: each by its first character and its last."""
    text = "a `b` \\`c <!-- `d` -->\n\n    e\n- ```sh\n  f\n  ```\n~~~\n`g`\n~~~\n<!--\n`h`\n--> i"
    assert [(text[each.start : each.end], each.kind) for each in find_regions(text)] == [
        ("`b`", "span"),
        ("<!-- `d` -->", "comment"),
        ("    e", "indented"),
        ("- ```sh\n  f\n  ```", "backticks"),
        ("~~~\n`g`\n~~~", "tildes"),
        ("<!--\n`h`\n-->", "comment"),
    ]


def test_code_blocks_have_their_text() -> None:
    """Without what stands before it on each line: quotes, blanks of list items, and those of the fence."""
    text = "> ```Sh -x\n> a\n>  b\n> ```\n1.  ~~~\n    c\n\n      d\n  ```\n e\n   f"
    found = [(each.mark, each.info, each.language, each.text, each.closed) for each in find_code_blocks(text)]
    assert found == [
        ("```", "Sh -x", "sh", "a\n b", True),
        ("~~~", "", "", "c\n\n  d", False),
        ("```", "", "", "e\n f", False),
    ]


def test_headings_have_their_words() -> None:
    """Without marks at both ends; a line below a paragraph makes a heading of all its lines."""
    text = "# a # b ##\n#\n## c#\nd\n e\n---\n> ### f"
    assert [(each.level, each.words, each.start) for each in read_headings(text)] == [
        (1, "a # b", 0), (1, "", 11), (2, "c#", 13), (2, "d e", 19), (3, "f", 28),
    ]  # fmt: skip


def test_comments_are_taken_out() -> None:
    """All of them, or those with lines of their own; what code shows stays."""
    text = "a <!-- b -->\n<!-- c -->\n```\n<!-- d -->\n```\n`<!-- e -->`\n<!--\nf\n-->\n<!-- g --> h"
    assert remove_comments(text) == "a \n\n```\n<!-- d -->\n```\n`<!-- e -->`\n\n h"
    kept = "".join(piece for _, piece in strip_block_comments(text))
    assert kept == "a <!-- b -->\n```\n<!-- d -->\n```\n`<!-- e -->`\n<!-- g --> h"


@pytest.mark.parametrize(
    ("text", "words", "target"),
    [
        ("[a](b.md)", "a", "b.md"),
        ('![a [b]](c(d).md "e")', "a [b]", "c(d).md"),
        ("[a](<b c.md>)", "a", "b c.md"),
        ("[a]( b.md )", "a", "b.md"),
    ],
)
def test_links(text: str, words: str, target: str) -> None:
    """Their words, and their target: in angle brackets, or without a blank."""
    found = LINK.fullmatch(text)
    assert found is not None
    assert (found["words"], found["angled"] or found["plain"]) == (words, target)
    assert strip_links(f"x {text}!") == f"x {words}!"


def test_what_is_no_link() -> None:
    """One that is not closed, or whose target holds a blank, is text."""
    assert not LINK.search("[a](b c) [a] (b) [a](b")
