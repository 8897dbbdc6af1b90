"""A code block that is open where a text ends is closed there, and nothing is closed that is not open."""

import pytest

import overture
from overture import Group, Part, Recipe, Section, State
from overture.model.fences import closing_fence
from overture.model.heads import heads

O200K = overture.counter("o200k")


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("```sh\nls", "\n```"),
        ("~~~~\nls\n~~~", "\n~~~~"),
        ("  ```sh\n  ls", "\n  ```"),
        ("- do this:\n\n- ```sh\n  ls", "\n  ```"),
        ("- do this:\n\n  ```sh\n  ls", "\n  ```"),
        ("1. ```sh\n   ls", "\n   ```"),
        ("> ```sh\n> ls", "\n> ```"),
        ("> - ```sh\n>   ls", "\n>   ```"),
        ("```sh\rls", "\n```"),
        ("```md\n> ```\nls", "\n```"),
        ("```md\n    ```\nls", "\n```"),
        ("```md\n``` x\nls", "\n```"),
        ("```md\n~~~\nls", "\n```"),
    ],
)
def test_an_open_code_block_is_closed_where_it_stands(text: str, closing: str) -> None:
    """In a list item or a quote, indented, or around what only looks like its end: the closing line fits the first."""
    assert closing_fence(text) == closing


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "```x``` is inline.\nmore",
        "Text.\n\n    ```\n    ls",
        "- ```sh\n  ls\n  ```\n\nEnd.",
        "- ```sh\n  ls\n\nThe item is at its end, and so is its code.",
        "> ```sh\n> ls\n\nSo is a quote.",
        "```sh\nls\n   ````  \nEnd.",
        "a ``` b",
    ],
)
def test_where_no_code_block_is_open_nothing_is_closed(text: str) -> None:
    """Code on one line, indented code, a block that ended with its list item: a further fence would open one."""
    assert closing_fence(text) == ""


def test_a_text_that_is_indented_as_a_whole_is_closed_at_its_indent() -> None:
    """A recipe that sets a file in by four blanks makes no code of it."""
    assert closing_fence("    ```sh\n    ls", "    ") == "\n    ```"
    assert closing_fence("    ```sh\n    ls\n    ```", "    ") == ""


def test_a_code_block_of_several_parts_is_closed() -> None:
    """Where parts belong together, the fence may stand in one that comes before the cut."""
    body = Group(("```json", *(f'{{"berth": {n}, "crane": "out of order"}}' for n in range(60)), "```"))
    whole = overture.build(Recipe("r", (Section("data", lambda: body),)), State()).counted(O200K)
    for budget in range(60, whole.tokens, 20):
        assert "}\n```\n\n[data: " in overture.fit(whole, budget).text


def test_a_file_in_a_list_is_closed_within_its_item() -> None:
    """The recipe's own words before a part make a list item of it: the fence stands in that."""
    part = Part("```sh\n" + "  ls -la\n" * 80 + "  ```", name="log", before="- ", leaner=heads)
    whole = overture.build(Recipe("r", (Section("log", lambda: part),)), State()).counted(O200K)
    assert "\n  ls -la\n  ```\n\n[log: " in overture.fit(whole, whole.tokens // 2).text
