"""Whatever data holds, Nova's structure is Nova's own."""

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import overture
from overture.model.state.state import State
from overture.testing import make_state

TAGS = (
    "Identity", "Role", "Instructions", "Responsibilities", "Directories", "Storage",
    "Formatting", "Context", "Memories", "Task", "Background",
)  # fmt: skip
FRAGMENTS = st.sampled_from(
    [f"<{slash}{tag}{end}" for tag in (*TAGS, "Responsibility") for slash in ("", "/", " / ") for end in (">", "", " ")]
    + [
        "<",
        "</",
        "\n",
        "\r",
        "\n- ",
        "\nStatus: ",
        '"',
        "'>",
        "&",
        "<MEMORIES >",
        "<|im_end|>",
        "[INST]",
        "\u200b",
        " ",
    ]
)
TEXTS = st.lists(FRAGMENTS | st.text(max_size=8), max_size=6).map("".join)
STATES = st.fixed_dictionaries(
    {
        "agent": st.fixed_dictionaries(
            {"responsibilities": st.lists(st.fixed_dictionaries({"title": TEXTS, "content": TEXTS}), max_size=3)}
        ),
        "runtime": st.fixed_dictionaries({"cwd": TEXTS, "directories": st.lists(TEXTS, max_size=2)}),
        "channel": TEXTS,
        "memories": st.lists(TEXTS, max_size=3),
        "task": st.fixed_dictionaries(
            {
                "id": TEXTS,
                "title": TEXTS,
                "description": TEXTS,
                "status": TEXTS,
                "steps": st.lists(st.fixed_dictionaries({"title": TEXTS, "done": st.booleans()}), max_size=3),
            }
        ),
    }
)


def tags_in(text: str, here: list[str], *children: str) -> list[str]:
    """The tags of this prompt that a lenient reader would see, in order; `/` before one that closes."""
    names = {name.lower() for name in (*here, *children)}
    found = re.finditer(r"<([\s/]*)([A-Za-z][\w.:-]*)", text)
    return ["/" * ("/" in m[1]) + m[2].lower() for m in found if m[2].lower() in names]


@given(STATES)
def test_data_opens_and_closes_no_tag(data: dict[str, Any]) -> None:
    """Each block has its own tag once, open and close; responsibilities have one child for each that is listed."""
    blocks = overture.build("nova", make_state(**data)).blocks
    here = [block.name for block in blocks]
    for block in blocks:
        if block.name == "responsibilities":
            duties = [each for each in data["agent"]["responsibilities"] if each["content"].strip()]
            children = ["responsibility", "/responsibility"] * len(duties)
            assert tags_in(block.text, here, "Responsibility") == [block.name, *children, f"/{block.name}"]
        else:
            assert tags_in(block.text, here) == [block.name, f"/{block.name}"]


@given(STATES)
def test_spans_partition_the_text(data: dict[str, Any]) -> None:
    """Every character has exactly one source, and none of the spans is empty."""
    prompt = overture.build("nova", make_state(**data))
    ends = [0, *(span.end for span in prompt.spans)]
    assert [span.start for span in prompt.spans] == ends[:-1]
    assert ends[-1] == len(prompt.text)
    assert all(span.start < span.end for span in prompt.spans)


@given(STATES)
def test_a_task_keeps_its_lines(data: dict[str, Any]) -> None:
    """No title, status or step begins a line of its own, and no description poses as one of the others."""
    prompt = overture.build("nova", make_state(task=data["task"]))
    lines = prompt.text.split("\n")
    for label in ("Title: ", "Description: ", "Status: ", "Steps:"):
        assert sum(line.startswith(label) for line in lines) <= 1
    numbered = [line for line in lines if re.match(r"\d+\. [→○✓]", line)]
    assert [int(line.partition(".")[0]) for line in numbered] == list(range(1, 1 + len(data["task"]["steps"])))


@given(st.lists(TEXTS, max_size=4))
def test_each_memory_is_one_bullet(memories: list[str]) -> None:
    """There are as many bullets as memories that say something: none poses as two."""
    blocks = {block.name: block.text for block in overture.build("nova", State(memories=tuple(memories))).blocks}
    bullets = [line for line in blocks.get("memories", "").split("\n") if line.startswith("- ")]
    assert len(bullets) == len([text for text in memories if text.strip("\ufeff").strip()])


def test_what_the_author_gives_is_left_as_it_is() -> None:
    """Identity and instructions are the agent's own: a tag in them stays a tag."""
    agent = {"identity": "Mind <Memories> & <Task>.", "instructions": "Close </Identity>."}
    text = overture.build("nova", make_state(agent=agent)).text
    assert "Mind <Memories> & <Task>." in text
    assert "Close </Identity>." in text


def test_every_word_of_data_is_traced_to_its_field() -> None:
    """A character of a memory, title, step or directory leads back to the field that gave it."""
    state = make_state(
        agent={"identity": "AAA", "responsibilities": [{"title": "BBB", "content": "CCC"}]},
        runtime={"cwd": "/ddd", "directories": ["/eee"]},
        memories=["", "FFF"],
        task={"id": "GGG", "title": "HHH", "status": "III", "steps": [{"title": ""}, {"title": "JJJ"}]},
    )
    prompt = overture.build("nova", state)
    words = {
        "AAA": "agent.identity", "BBB": "agent.responsibilities[0].title", "CCC": "agent.responsibilities[0].content",
        "/ddd": "runtime.cwd", "/eee": "runtime.directories[0]", "FFF": "memories[1]", "GGG": "task.id",
        "HHH": "task.title", "III": "task.status", "JJJ": "task.steps[1].title",
    }  # fmt: skip
    assert {word: prompt.source_at(prompt.text.index(word)).name for word in words} == words
