"""The anchors of files are kept as bytes, and made anew only where something changed; words are read on demand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.attribute.anchor_index import MAX_COMMON_PLACES, FileOnDisk, SourceIndex, make_anchors
from overture.tap.attribute.attribute_text import LikelyFiles, attribute_text
from overture.tap.attribute.saved_index import decode_index, encode_index
from tests.contract.effort import examples

from .known import index_of

pytestmark = pytest.mark.slow


PAGES = {
    f"/p/{number}.md": f"# Page {number}\n\nThis is page number {number} of a book about {number * 37} harbours.\n"
    for number in range(9)
}
ALL = "x\n".join(PAGES.values())


def seen_of(files: dict[str, str], stamp: int = 1) -> list[FileOnDisk]:
    """These files as they lie there."""
    return [FileOnDisk(path, len(text), stamp) for path, text in files.items()]


class Reading:
    """Reads files, and says which."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files, self.paths = files, list[str]()

    def __call__(self, path: str) -> str | None:
        self.paths.append(path)
        return self.files.get(path)


def test_what_is_kept_is_the_same() -> None:
    """Anchors that were written and read again lead a text to the same files."""
    sources = index_of(PAGES)
    spans = attribute_text(ALL, sources)
    assert len(spans) == 9
    anchors = decode_index(encode_index(sources.anchors))
    assert anchors is not None
    assert attribute_text(ALL, SourceIndex(anchors, PAGES.get)) == spans


def test_only_files_that_a_text_may_be_from_are_indexed() -> None:
    """Of the others, their words are not even read; what was read for one text is there for the next."""
    reading = Reading(PAGES)
    sources = SourceIndex(make_anchors(seen_of(PAGES), PAGES.get), reading)
    for number in (3, 3, 5):
        assert [span.path for span in attribute_text(PAGES[f"/p/{number}.md"], sources)] == [f"/p/{number}.md"]
    assert reading.paths == ["/p/3.md", "/p/5.md"]
    assert [*sources.group_paths().values()] == [["/p/3.md"], ["/p/5.md"]]


def test_a_file_that_changed_meanwhile_is_not_guessed() -> None:
    """What stands in it now is not what its anchors say: it accounts for nothing, and nothing raises."""
    now = {**PAGES, "/p/3.md": "Quite another page.\n"}
    sources = SourceIndex(make_anchors(seen_of(PAGES), PAGES.get), now.get)
    assert {span.path for span in attribute_text(ALL, sources)} == set(PAGES) - {"/p/3.md"}


def test_words_of_many_files_are_those_of_none() -> None:
    """What more than a few files say tells nobody where it is from, unless the agent loads one of them."""
    common = "Every page of this book begins with this very line of words.\n"
    files = {f"/p/{number:02}.md": f"{common}Page {number}.\n" for number in range(MAX_COMMON_PLACES + 1)}
    assert attribute_text(common, index_of(files)) == ()
    (span,) = attribute_text(common, index_of(files), LikelyFiles(("/p/07.md",)))
    assert span.path == "/p/07.md"


def test_only_what_changed_is_read() -> None:
    """A file with another size or stamp is read, one that is gone is forgotten, the others are taken over."""
    old = make_anchors(seen_of(PAGES), PAGES.get)
    new = {**PAGES, "/p/3.md": "Another text stands here now, of just as many words as needed.\n"}
    del new["/p/4.md"]
    reading = Reading(new)
    changed = [FileOnDisk(path, len(text), 2 if path == "/p/3.md" else 1) for path, text in new.items()]
    made = make_anchors(changed, reading, old)
    assert reading.paths == ["/p/3.md"]
    assert encode_index(made) == encode_index(make_anchors(changed, new.get))
    assert make_anchors(changed, reading, made) is made


def test_a_text_under_many_paths_is_kept_once() -> None:
    """Thousands of copies of one page cost the room of one."""
    one, many = (
        index_of({"/p/A.md": PAGES["/p/1.md"]}),
        index_of({f"/p/{at}/A.md": PAGES["/p/1.md"] for at in range(50)}),
    )
    assert len(one.anchors.keys) == len(many.anchors.keys)
    assert len(many.anchors.files) == 50
    assert len(attribute_text(ALL, many)[0].also) == 49
    assert attribute_text(ALL, one)
    assert len(one.texts) == len(many.texts) == 1


def test_a_file_that_cannot_be_read_is_left_out() -> None:
    """It is asked for again next time."""
    anchors = make_anchors(seen_of(PAGES), lambda path: None if path == "/p/2.md" else PAGES[path])
    assert len(anchors.files) == 8
    assert len(make_anchors(seen_of(PAGES), PAGES.get, anchors).files) == 9


@given(at=st.integers(0, 6_000_000), byte=st.binary(min_size=1, max_size=3), short=st.booleans())
@settings(max_examples=examples(60))
def test_broken_bytes_are_no_index(at: int, byte: bytes, short: bool) -> None:
    """Whatever was done to what was kept, it is the same or it is nothing; it never raises."""
    data = encode_index(make_anchors(seen_of(PAGES), PAGES.get))
    where = at % len(data)
    broken = data[:where] if short else data[:where] + byte + data[where + len(byte) :]
    assert decode_index(broken) is None or broken == data


def test_what_goes_and_comes_leaves_nothing_behind() -> None:
    """However often files change, the anchors say what those say that are made anew."""
    files, sources = dict(PAGES), index_of(PAGES)
    for turn in range(40):
        path = f"/p/{turn % 9}.md"
        if turn % 4 == 3:
            files.pop(path, None)
        else:
            files[path] = PAGES[path] if turn % 5 == 0 else f"Turn {turn} has a page of its own in this book, {path}.\n"
        seen = [FileOnDisk(each, len(text), hash(text)) for each, text in files.items()]
        sources = SourceIndex(make_anchors(seen, files.get, sources.anchors), files.get)
        text = "\n".join((*PAGES.values(), *files.values()))
        assert attribute_text(text, sources) == attribute_text(text, index_of(files))
        assert {file.path for file in sources.anchors.files} == set(files)
