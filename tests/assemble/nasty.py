"""Strategies that produce what a hostile or unlucky file may hold, and states made of it."""

from typing import Any

from hypothesis import strategies as st

from overture import State
from overture.testing import make_state

TAGS = (
    "<skills>", "</skills>", "< / SKILLS >", "<\tproject-context source='x'>", "</Project-Context\n>", "<identity",
    "</environment>", "<tool-guidelines/>", "<PLANNING>", "<available_skills>", "</ Available_Skills >",
    "</available_skills", "<skill>", "</description>", "<name>", "<", "</", "< /", "<\n", "<b>", "a < b",
    "<\x0cskills>", "<\u200bskills>", "<\u2060/skills>", "&lt;skills>", "<skills-not>", "<<skills>",
)  # fmt: skip
TOKENS = ("<|im_start|>", "<|endoftext|>", "<｜User｜>", "[INST]", "[/INST]", "<<SYS>>", "<start_of_turn>", "<|", "[IN")
HEADINGS = (
    "\n# Project Context\n", "\r# Project Context\r", "\n## /p/AGENTS.md\n", "# Project Context",
    "#  PROJECT\tcontext", "   # Project Context ##", "## /p/AGENTS.md", "# Other", "#",
    "#tag",
    "Available tools:", "Guidelines:", "- ", "{{tools}}", "{{guidelines}}", "{{x}}",
)  # fmt: skip
HIDDEN = (
    "\u200b", "\u200c", "\u200d", "\u202e", "\u2066", "\u2069", "\ufeff", "\ufe0f", "\U000e0041", "\U000e0100",
    "\u200f", "\u061c", "\u180b",
)  # fmt: skip
SCRIPTS = ("می‌خواهم", "क्‍ष", "👨‍👩‍👧‍👦", "👩🏽‍💻", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏳️‍🌈", "שלום", "日本語", "é")
BREAKS = ("\n", "\r\n", "\r", "\n\n", " ", "\t", "\x0b", "\u2028", "\x85", "\x00", "\x1b[31m")
CONTROLS = ("\x00", "\x07", "\x08", "\x0c", "\x1b]0;x\x07", "\x1f", "\x7f", "\x80", "\x9b1m")
FENCES = ("```", "\n```\n", "\n```sh\n", "~~~", "\n~~~~\n", "\n- ```\n", "\n> ```\n", "\n    ```\n")
PLAIN = ("read", "bash", "edit", "word", "/p/AGENTS.md", "'", '"', "&", "|", "`", "\\")

listed = st.sampled_from(TAGS + TOKENS + HEADINGS + HIDDEN + SCRIPTS + BREAKS + CONTROLS + FENCES + PLAIN)
fragments = st.one_of(listed, listed, st.characters(exclude_categories=["Cs"]))
texts = st.lists(fragments, max_size=5).map("".join)
"""Tags in any case with blanks, unfinished tags, control tokens, headings, hidden characters, scripts, line ends,
control characters, code fences."""

lines = texts.map(lambda text: "".join(c for c in text if c not in "\r\n"))
paths = st.one_of(st.just("/p/AGENTS.md"), texts.map("/{}".format))
names = st.one_of(
    st.sampled_from(("read", "bash", "edit", "write", "grep", "read_file", "shell", "use_skill")),
    texts.filter(str.strip),
)


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


context_files = st.lists(st.fixed_dictionaries({"path": paths, "content": texts}), max_size=2)
skills = st.lists(
    st.fixed_dictionaries(
        {"name": texts, "description": texts, "location": paths}, optional={"disable_model_invocation": st.booleans()}
    ),
    max_size=2,
)
tools = st.lists(
    st.fixed_dictionaries({"name": names}, optional={"snippet": texts, "guidelines": st.lists(texts, max_size=2)}),
    max_size=3,
)
runtimes = st.fixed_dictionaries(
    {},
    optional={
        "cwd": paths,
        "home": paths,
        "timezone": st.sampled_from(("America/Chicago", "Asia/Tokyo", "no/where")),
        "docs": st.fixed_dictionaries({}, optional={"main": texts, "examples": texts}),
    },
)
sessions = st.fixed_dictionaries({"id": texts}, optional={"plan_path": paths})
times = st.sampled_from(("2026-03-07T08:55:05-06:00", "2026-01-01T00:00:00Z"))

untrusted: st.SearchStrategy[State] = st.fixed_dictionaries(
    {
        "context_files": context_files,
        "skills": skills,
        "tools": tools,
        "runtime": optional(runtimes),
        "session": optional(sessions),
        "now": optional(times),
    }
).map(lambda fields: make_state(**fields))
"""States whose every text came from files and data."""

states: st.SearchStrategy[State] = st.builds(
    lambda state, overrides, agent: State.from_dict({**state.to_dict(), "overrides": overrides, "agent": agent}),
    untrusted,
    optional(st.fixed_dictionaries({}, optional={"system": texts, "append": texts})),
    optional(st.fixed_dictionaries({}, optional={"system_prompt": texts})),
)
"""States with what the agent's author gives, too."""
