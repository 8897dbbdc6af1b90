"""Locks as data: written the same every time, read as they were written, and compared without a disk."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from overture.lock.command import describe_changes
from overture.lock.lock_file import Lock, LockedFile, LockedPrompt, LockedSection, format_lock
from overture.lock.write_and_check_locks import compare_prompts
from tests.contract.effort import examples

digests = st.text("0123456789abcdef", min_size=64, max_size=64)
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
counts = st.integers(0, 10**6)
sections = st.builds(LockedSection, names, st.sampled_from(["system", "user", "tools"]), counts, digests)
said = st.sampled_from(["whole", "cut", "nothing"])
files = st.builds(
    LockedFile, names, names, said, counts, digests, digests, st.none() | names, st.lists(names, max_size=2).map(tuple)
)
prompts = st.builds(
    LockedPrompt, names, names, names, st.just(()),
    st.lists(sections, max_size=3, unique_by=lambda each: (each.place, each.name)).map(tuple),
    st.lists(files, max_size=3, unique_by=lambda each: each.path).map(tuple),
)  # fmt: skip
locks = st.lists(prompts, max_size=3, unique_by=lambda each: each.key).map(lambda rows: Lock(tuple(rows)))


@settings(max_examples=examples(40))
@given(locks)
def test_a_lock_is_read_as_it_was_written(lock: Lock) -> None:
    """Whatever names files have: JSON, sorted, with the same bytes for the same lock in any order."""
    text = format_lock(lock)
    again = msgspec.convert(json.loads(text), Lock)
    assert sorted(again.prompts, key=lambda each: each.key) == sorted(lock.prompts, key=lambda each: each.key)
    assert format_lock(Lock(lock.prompts[::-1])) == text
    assert format_lock(again) == text


@settings(max_examples=examples(40))
@given(prompts, prompts)
def test_two_prompts_that_differ_are_told_apart(old: LockedPrompt, new: LockedPrompt) -> None:
    """Where a digest, an order or a file differs, there is a line for it, and each file that moved has one."""
    new = replace(new, recipe=old.recipe, cwd=old.cwd)
    moved = compare_prompts(old, new)
    was, now = ({file.path: file.sha256 for file in prompt.files} for prompt in (old, new))
    paths = {path for path in {*was, *now} if was.get(path) != now.get(path)}
    assert paths <= {each.path for each in moved}
    assert bool(moved) or old.fingerprint == new.fingerprint
    assert len(list(describe_changes(new.label, moved, new.tokens, exact=True))) == len(moved)


ONE, TWO = "1" * 64, "2" * 64
PROMPT = LockedPrompt(
    "codex", ".", "estimate", (),
    (LockedSection("own", "system", 10, ONE), LockedSection("instructions", "system", 5, ONE)),
    (LockedFile("AGENTS.md", "context", "whole", 15, ONE, ONE, None, ("instructions",)),),
)  # fmt: skip


def changed_section(index: int) -> LockedPrompt:
    """The prompt with another digest of one section."""
    rows = list(PROMPT.sections)
    rows[index] = replace(rows[index], sha256=TWO, tokens=rows[index].tokens + 5)
    return replace(PROMPT, sections=tuple(rows))


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            replace(PROMPT, files=(replace(PROMPT.files[0], sha256=TWO, tokens=20),)),
            "codex: AGENTS.md changed (+5 tokens)",
        ),
        (
            replace(PROMPT, files=(replace(PROMPT.files[0], text=TWO, tokens=14),)),
            "codex: AGENTS.md changed: the file is the same, its text in the prompt differs (-1 token)",
        ),
        (
            changed_section(0),
            "codex: section own changed, and no file changed: the recipe's own text or a setting did (+5 tokens)",
        ),
        (
            replace(PROMPT, files=(), sections=PROMPT.sections[:1]),
            "codex: AGENTS.md no longer read: it is gone (-20 tokens)",
        ),
        (
            replace(PROMPT, files=(replace(PROMPT.files[0], said="cut"),)),
            "codex: AGENTS.md cut: it is truncated now (+0 tokens)",
        ),
        (
            replace(PROMPT, sections=PROMPT.sections[::-1]),
            "codex: the order of the sections changed",
        ),
        (
            replace(PROMPT, files=(replace(PROMPT.files[0], kind="rule"),)),
            "codex: the recorded values were changed by hand",
        ),
        (replace(PROMPT, sections=PROMPT.sections[1:]), "codex: section own removed (-10 tokens)"),
    ],
)
def test_each_kind_of_change_has_a_plain_line(new: LockedPrompt, said: str) -> None:
    """What moved, and by how many tokens."""
    moved = compare_prompts(PROMPT, new, lambda _: "it is gone")
    assert list(describe_changes(new.label, moved, new.tokens, exact=True)) == [said]
