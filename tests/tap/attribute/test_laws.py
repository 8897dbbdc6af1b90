"""What holds of every text and every set of files."""

import json
import re
from collections.abc import Callable
from textwrap import fill, indent
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.attribute.files_of_call import TextSpan
from tests.contract.effort import examples

from .known import attribute_text

pytestmark = pytest.mark.slow


DRESS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "indented": lambda text: indent(text, "\t"),
    "quoted": lambda text: indent(text, "> ", lambda _: True),
    "numbered": lambda text: "".join(f"{at:6}\t{line}\n" for at, line in enumerate(text.splitlines(), 1)),
    "JSON": json.dumps,
    "XML": lambda text: f"<file>{escape(text)}</file>",
    "wrapped": lambda text: fill(" ".join(text.split()), 40),
    "without blanks": lambda text: "\n".join(line.strip() for line in text.splitlines() if line.strip()),
}
LINE = st.tuples(
    st.sampled_from(["", "- ", "# ", "  ", "> "]), st.integers(4, 12), st.sampled_from(["", ".", " & <b>", '"'])
)
OWN = st.lists(st.sampled_from(["you", "are", "an", "agent", "of", "ours", "<x>", "\n", "# Rules"]), max_size=12)
COMMON = ["the", "a", "of", "and", "to", "in", "is", "it", "you", "that", "he", "was", "for", "on", "are"]
WORD = re.compile(r"f(\d+)l(\d+)w\d+")


@st.composite
def pages(draw: st.DrawFn) -> dict[str, str]:
    """Files whose every word says where it is from; some lines are blank, or have no words."""
    found = {}
    for number in range(draw(st.integers(1, 4))):
        lines = draw(st.lists(st.one_of(LINE, st.sampled_from(["", "---", "```"])), min_size=2, max_size=8))
        found[f"/p/{number}.md"] = "".join(
            f"{line if isinstance(line, str) else _line(number, at, *line)}\n" for at, line in enumerate(lines, 1)
        )
    return found


def _line(file: int, at: int, before: str, count: int, behind: str) -> str:
    return f"{before}{' '.join(f'f{file}l{at}w{word}' for word in range(count))}{behind}"


@given(files=pages(), data=st.data())
@settings(max_examples=examples(150))
def test_what_is_sent_is_found_again(files: dict[str, str], data: st.DataObject) -> None:
    """Files in any order and dress, with words between them: every word is attributed to its file and its line."""
    parts = []
    for path in data.draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=5)):
        dress = data.draw(st.sampled_from(sorted(DRESS)))
        parts += [" ".join(data.draw(OWN)), DRESS[dress](files[path])]
    text = "\n".join(parts)
    spans = attribute_text(text, files)
    _check_order(text, spans)
    _check_as_it_is(text, spans, files)
    for found in WORD.finditer(text):
        if _words(files[f"/p/{found[1]}.md"]) >= 8:
            span = next((each for each in spans if each.start <= found.start() < each.end), None)
            assert span is not None, (found.group(), text, spans)
            assert span.path == f"/p/{found[1]}.md"
            assert (span.line or 0) <= int(found[2]) <= (span.last_line or 0)


@given(files=pages(), data=st.data())
@settings(max_examples=examples(60))
def test_a_cut_is_behind_the_last_whole_line(files: dict[str, str], data: st.DataObject) -> None:
    """Of a file that was cut anywhere, every line that arrived whole is attributed, and none behind the cut."""
    path = data.draw(st.sampled_from(sorted(files)))
    page = files[path]
    end = data.draw(st.integers(0, len(page)))
    text = f"own words of the agent\n{page[:end]}\n… truncated"
    spans = attribute_text(text, files)
    _check_order(text, spans)
    whole = page[:end].count("\n")
    if _words("\n".join(page.splitlines()[:whole])) >= 8:
        lines = {line for span in spans for line in range(span.line or 0, (span.last_line or 0) + 1)}
        assert {int(found[2]) for found in WORD.finditer("\n".join(page.splitlines()[:whole]))} <= lines
    assert all((span.last_line or 0) <= whole + 1 for span in spans)


@given(files=pages(), text=st.lists(st.sampled_from(COMMON)))
@settings(max_examples=examples(60))
def test_what_no_file_has_is_the_agents_own(files: dict[str, str], text: list[str]) -> None:
    """Words that stand in no file are attributed to none; nor are a file's own words in another order."""
    backwards = " ".join(reversed(" ".join(files.values()).split()))
    assert attribute_text(f"{' '.join(text)}\n{backwards}", files) == ()


@given(text=st.text(max_size=400), page=st.text(max_size=200), cut=st.integers(0, 200))
@settings(max_examples=examples(150))
def test_any_text_at_all(text: str, page: str, cut: int) -> None:
    """Whatever the letters, spans lie in order, within the text, and say what the file says."""
    files = {"/p/A.md": page, "/p/B.md": f"{text[:cut]}\n{page}"}
    sent = f"{text}\n{page[cut:]}{page}"
    spans = attribute_text(sent, files)
    _check_order(sent, spans)
    _check_as_it_is(sent, spans, files)


def _words(page: str) -> int:
    return len(WORD.findall(page))


def _check_order(text: str, spans: tuple[TextSpan, ...]) -> None:
    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    assert edges == sorted(edges)
    assert all(span.start < span.end for span in spans)


def _check_as_it_is(text: str, spans: tuple[TextSpan, ...], files: dict[str, str]) -> None:
    for span in spans:
        lines = files[span.path].split("\n")
        assert 1 <= (span.line or 0) <= (span.last_line or 0) <= len(lines)
        if span.how == "as it is":
            assert text[span.start : span.end] == "\n".join(lines[(span.line or 1) - 1 : span.last_line])
