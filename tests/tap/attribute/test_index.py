"""The index of files: kept as bytes, and made anew only where something changed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.attribute.attribute_text import Attributor
from overture.tap.index.index import decode_index, encode_index
from overture.tap.index.make_index import FileOnDisk, make_index
from tests.effort import examples

from .known import index_of

PAGES = {
    f"/p/{number}.md": f"# Page {number}\n\nThis is page number {number} of a book about {number * 37} harbours.\n"
    for number in range(9)
}


def seen_of(files: dict[str, str], stamp: int = 1) -> list[FileOnDisk]:
    """These files as they lie there."""
    return [FileOnDisk(path, len(text), stamp) for path, text in files.items()]


def test_what_is_kept_is_the_same() -> None:
    """An index that was written and read again says the same of a text."""
    index = index_of(PAGES)
    again = decode_index(encode_index(index))
    assert again is not None
    text = "x\n".join(PAGES.values())
    assert Attributor(again).find_spans(text) == Attributor(index).find_spans(text)
    assert len(Attributor(index).find_spans(text)) == 9


def test_only_what_changed_is_read() -> None:
    """A file with another size or stamp is read, one that is gone is forgotten, the others are taken over."""
    old = index_of(PAGES)
    new = {**PAGES, "/p/3.md": "Another text stands here now, of just as many words as needed.\n"}
    del new["/p/4.md"]
    read: list[str] = []

    def reading(path: str) -> str:
        read.append(path)
        return new[path]

    changed = [FileOnDisk(path, len(text), 2 if path == "/p/3.md" else 1) for path, text in new.items()]
    index = make_index(changed, reading, old)
    assert read == ["/p/3.md"]
    assert Attributor(index).find_spans("\n".join(PAGES.values())) == Attributor(index_of(new)).find_spans(
        "\n".join(PAGES.values())
    )
    assert make_index(changed, reading, index) is index


def test_a_text_under_many_paths_is_kept_once() -> None:
    """Thousands of copies of one page cost the room of one."""
    one, many = (
        index_of({"/p/A.md": PAGES["/p/1.md"]}),
        index_of({f"/p/{at}/A.md": PAGES["/p/1.md"] for at in range(50)}),
    )
    assert len(one.words) == len(many.words)
    assert len(many.files) == 50


def test_a_file_that_cannot_be_read_is_left_out() -> None:
    """It is asked for again next time."""
    index = make_index(seen_of(PAGES), lambda path: None if path == "/p/2.md" else PAGES[path])
    assert len(index.files) == 8
    assert len(make_index(seen_of(PAGES), PAGES.get, index).files) == 9


@given(at=st.integers(0, 6_000_000), byte=st.binary(min_size=1, max_size=3), short=st.booleans())
@settings(max_examples=examples(60))
def test_broken_bytes_are_no_index(at: int, byte: bytes, short: bool) -> None:
    """Whatever was done to what was kept, it is the same or it is nothing; it never raises."""
    data = KEPT
    at %= len(data)
    broken = data[:at] if short else data[:at] + byte + data[at + len(byte) :]
    found = decode_index(broken)
    assert found is None or broken == data or found.files == index_of(PAGES).files


KEPT = encode_index(index_of(PAGES))


def test_what_goes_and_comes_leaves_nothing_behind() -> None:
    """However often files change, the index says what one says that is made anew, and does not grow without end."""
    files, index = dict(PAGES), index_of(PAGES)
    most = 0
    for turn in range(40):
        path = f"/p/{turn % 9}.md"
        if turn % 4 == 3:
            files.pop(path, None)
        else:
            files[path] = PAGES[path] if turn % 5 == 0 else f"Turn {turn} has a page of its own in this book, {path}.\n"
        seen = [FileOnDisk(each, len(text), hash(text)) for each, text in files.items()]
        index = make_index(seen, files.get, index)
        text = "\n".join((*PAGES.values(), *files.values()))
        fresh = index_of(files)
        assert [span.path for span in Attributor(index).find_spans(text)] == [
            s.path for s in Attributor(fresh).find_spans(text)
        ]
        assert {file.path for file in index.files} == set(files)
        assert decode_index(encode_index(index)) is not None
        most = max(most, len(index.words))
    assert most <= 3 * len(index_of(PAGES).words)
