"""Many short texts are scanned as one, and the result is that of each by itself."""

from base64 import b64encode

from hypothesis import example, given, settings
from hypothesis import strategies as st

from overture.text.scan_for_marks import PLAIN, is_surely_plain, scan, scan_many
from tests.contract.effort import examples

KEY = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6"
HIDDEN_KEY = b64encode(f"token = {KEY}, for the build".encode()).decode()
PIECES = [
    "Fill in a form", "it's 3 < 4", "<skill>", "</available_skills", "# Title", "  ## x", "```", "=====", "---", "- i",
    "~~~sh", "<|im_start|>", "[INST]", "see [a](b)", "|||EMAIL_ADDRESS|||", "/nothink", "\\u{200B}", "a\tb", "\\n",
    "\r", "\x0b", "\x85", "\u2028", "\u00a0", "\u3000", "\u200b", "e\u0301", "Übung — “so”…", "\uff1cskill\uff1e",
    "\uff03 x", "漢字 かな", "👩\u200d💻", "⚠\ufe0f", KEY,
    HIDDEN_KEY, HIDDEN_KEY[:40] + "\n" + HIDDEN_KEY[40:], HIDDEN_KEY[:24],
    "password = hunter2hunter2", "an example:", "curl -u me:s3cretPass99 x", "postgres://u:pw12345678@db/x",
    "Authorization",
    "/home/me/.agents/skills/react-native-best-practices/SKILL.md", "a" * 30, ":", ".", "", " ", "\n",
]  # fmt: skip
texts = st.lists(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=4).map("\n".join)
    | st.lists(st.sampled_from(PIECES), max_size=4).map(" ".join),
    max_size=14,
)


@settings(max_examples=examples(3000))
@given(texts)
@example([HIDDEN_KEY[:40], HIDDEN_KEY[40:], "x", "y", "z", HIDDEN_KEY])
@example(["an example:", "password = hunter2hunter2", "a", "b", "c"])
@example(["words", "---", "words", "===", "words"])
def test_it_is_the_scan_of_each(given_texts: list[str]) -> None:
    """No text gets other marks because of those beside it."""
    assert scan_many(given_texts) == [scan(text) for text in given_texts]


def test_ordinary_entries_need_one_look() -> None:
    """Names, descriptions and paths of skills, joined, hold nothing that has to be looked at one by one."""
    entries = [
        f"fill-in-forms-of-many-kinds-{i}\nUse when a form — or it's table #{i} — has to be read (“now”, e.g. in C#).\n"
        f"/home/me/project/.agents/skills/fill-in-forms-of-many-kinds-{i}/SKILL.md"
        for i in range(200)
    ]
    assert is_surely_plain("\n.\n".join(entries))
    assert scan_many(entries) == [PLAIN] * 200
