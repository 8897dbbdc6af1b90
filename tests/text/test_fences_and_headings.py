"""A code block that is open where a text ends is closed there, and nothing is closed that is not open."""

import pytest

import overture
from overture import Group, Part, Recipe, Section, State
from overture.testing import make_state
from overture.text.fences_and_headings import closing_fence

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
        ("- a\nlazy\n  ```sh\n  ls", "\n  ```"),
        ("<!--\n```\n-->\n```sh\nls", "\n```"),
        ("<!--\n```sh\nls", "\n```"),
        ("<rules>\n```sh\nls\n</rules>", "\n```"),
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
        "<!--\n```\n-->\nA comment shows half a code block.",
        "a\n2. ```sh\nNo list begins with 2 right below a paragraph.",
        "-\n\n  - - -\n    ```\n    x\n\nThe list is at its end.",
    ],
)
def test_where_no_code_block_is_open_nothing_is_closed(text: str) -> None:
    """Code on one line, indented code, a block that ended with its list item: a further fence would open one."""
    assert closing_fence(text) == ""


@pytest.mark.parametrize(("end", "reported"), [("\n```", False), ("", True)])
@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "house"])
def test_a_cut_file_is_blamed_only_for_what_it_leaves_open_itself(recipe: str, end: str, reported: bool) -> None:
    """A code block that only the cut opens is closed without a word; one that never ends is reported as before."""
    text = "Run this:\n\n```sh\n" + "make test  # and once more\n" * 80 + end
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": text}])
    whole = overture.build(recipe, state).counted(O200K)
    small = overture.fit(whole, whole.tokens - 300)
    assert "once more\n```\n\n[/p/AGENTS.md: " in small.text
    for prompt in (whole, small):
        notes = [(note.path, note.line) for note in prompt.diagnostics if note.code == "open-fence"]
        assert notes == [("/p/AGENTS.md", 3)] * reported


@pytest.mark.parametrize(
    ("before", "value", "after", "text", "code"),
    [
        ("```json\n", "{}\n```\nx", "\n```", "```json\n{}\n\\```\nx\n```", "contained-fence"),
        ("````\n", "```\nx\n```", "\n````", "````\n```\nx\n```\n````", None),
        ("- ", "```\n  x", "\n- y", "- ```\n  x\n  ```\n- y", "open-fence"),
        ("See: ", "```", " there", "See: ``` there", None),
        ("- ", "```\n  x\n  ```", " y", "- ```\n  x\n  ```\n y", None),
        ("See:\n", "```\nx", " there", "See:\n```\nx\n```\n there", "open-fence"),
        ("", "x\n```\ny\n```", "!", "x\n```\ny\n```\n!", None),
    ],
)
def test_foreign_text_beside_words_of_the_recipe(before: str, value: str, after: str, text: str, code: str) -> None:
    """It ends no code block of the recipe's, is closed where it stands, and what follows a fence begins a line."""
    body = Group((before, Part(value, name="v"), after), sep="")
    prompt = overture.build(Recipe("r", (Section("s", lambda: body),)), State())
    assert prompt.text == text
    assert [note.code for note in prompt.diagnostics] == ([code] if code else [])
