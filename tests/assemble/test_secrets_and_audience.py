"""Sanitizing hides keys and tokens, and a public prompt has no text of the user."""

import pytest

import overture
from overture.assemble.change_prompt import Change, apply_change
from overture.assemble.sanitize.forbidden_frames import EMPTY_GUARD, SAFE_TEXT_GUARD
from overture.assemble.sanitize.sanitize import contain
from overture.errors import StateError
from overture.recipes import BUILTIN
from overture.testing import make_state
from tests.contract.secret_samples import KEYS, block

KEY = KEYS["GitHub token"][0]
OTHER = KEYS["npm token"][0]
HIDDEN = "[secret: GitHub token]"


def said(text: str, recipe: str = "opal", **more: object) -> overture.Prompt:
    """The prompt of a state with one project file."""
    return overture.build(recipe, make_state(context_files=[{"path": "/p/AGENTS.md", "content": text}], **more))


def test_a_key_is_written_by_its_kind_and_reported_with_its_place() -> None:
    """Each has a diagnostic of its own: path, line, column, kind, and nothing of the key."""
    prompt = said(f"One.\nUse {KEY}, or {OTHER}.\n\nThen {KEY}.")
    assert f"One.\nUse {HIDDEN}, or [secret: npm token].\n\nThen {HIDDEN}.\n" in prompt.text
    found = [(d.level, d.code, d.path, d.line, d.column) for d in prompt.diagnostics]
    assert found == [("warning", "secret", "/p/AGENTS.md", *at) for at in ((2, 5), (2, 50), (4, 6))]
    assert all(KEY[:8] not in str(d) and "[secret: " in d.message for d in prompt.diagnostics)


def test_lines_and_sources_stay_right_behind_a_key() -> None:
    """A block of many lines takes up as many as before: what follows is still found on its line."""
    text = f"One.\n{block('RSA PRIVATE KEY')}\n</project-context>"
    prompt = said(text)
    assert "\n[secret: private key]\n" in prompt.text
    tag = next(d for d in prompt.diagnostics if d.code == "contained-tag")
    assert tag.line == text.count("\n") + 1
    span = next(
        s
        for s in prompt.spans
        if s.source.path == "/p/AGENTS.md" and s.source.kind == "file" and "One." in prompt.text[s.start : s.end]
    )
    assert prompt.text[span.start : span.end].count("\n") == text.count("\n")


def test_invisible_characters_do_not_help_a_key_past() -> None:
    """Neither do control characters: the key that a reader would take out of it is gone."""
    for inside in ("\u200b", "\u2060\u00ad", "\x00", "\U000e0041"):
        prompt = said(f"Use {KEY[:12]}{inside}{KEY[12:]} here.")
        assert f"Use {HIDDEN} here." in prompt.text
        assert KEY[:12] not in prompt.text


@pytest.mark.parametrize(
    "text", [f"<{KEY}>", f"<|{KEY}|>", f"# {KEY}", f"</project-context {KEY}>", f"a\x1b{KEY}\u200b\r\n{OTHER}"]
)
def test_what_came_through_comes_through_again(text: str) -> None:
    """Sanitizing twice gives the same as sanitizing once, even if secrets are shown."""
    for guard in (EMPTY_GUARD, SAFE_TEXT_GUARD):
        once, _ = contain(text, guard)
        assert contain(once, guard)[0] == once
        assert (KEY in once) is guard.shows


def test_the_authors_own_words_are_looked_at_too() -> None:
    """A key in SYSTEM.md, an identity, a recipe's words or a hook's text is no less a key."""
    state = make_state(agent={"system_prompt": f"Use {KEY}."}, overrides={"system": f"Use {KEY}.", "append": KEY})
    for recipe in ("opal", "pi", "house"):
        prompt = overture.build(recipe, state)
        assert KEY not in prompt.text and HIDDEN in prompt.text
        assert "secret" in {d.code for d in prompt.diagnostics}
    edited = apply_change(overture.build("house", state), Change.append(f"Also {KEY}."), "h")
    assert edited.blocks[-1].text == f"Also {HIDDEN}."


def test_they_stay_where_somebody_says_so() -> None:
    """`secrets="show"` leaves the text, and reports nevertheless."""
    state = make_state(context_files=[{"path": "/p/AGENTS.md", "content": f"Use {KEY} here."}])
    prompt = overture.build("opal", state, secrets="show")
    assert f"Use {KEY} here." in prompt.text
    assert [(d.code, KEY in d.message) for d in prompt.diagnostics] == [("secret", False)]
    assert overture.build("opal", prompt.state, since=prompt) is prompt
    hidden = overture.build("opal", state, since=prompt)
    assert KEY not in hidden.text
    assert KEY in overture.build("opal", prompt.state, since=hidden).text


@pytest.mark.parametrize("recipe", BUILTIN)
def test_no_budget_parts_a_key(recipe: str) -> None:
    """However a text is cut, no half of a key is left over."""
    words = "The harbour opens at dawn and closes at dusk. " * 4
    text = "\n".join(f"{words}{KEY}{words}" for _ in range(8))
    state = make_state(
        context_files=[{"path": "/p/AGENTS.md", "content": text}],
        memories=[text],
        agent={"identity": text, "soul": text},
        tools=[{"name": "read", "description": f"{words[:150]}{KEY}{words}"}],
        workspace_files=[{"name": "TOOLS.md", "path": "/t", "content": text}],
        skills=[{"name": "pdf", "description": f"{words * 5}{KEY}"[-1010:] + words, "location": "/s/pdf/SKILL.md"}],
        mission={"prompt": "Go {{a}}.", "data": {"a": "x" * 470 + KEY, "b": "y" * 29 + " " + KEY}},
        task={"id": 1, "title": KEY, "description": text},
    )
    whole = overture.build(recipe, state)
    assert KEY[:9] not in whole.text
    for budget in range(100, whole.tokens, max(1, whole.tokens // 12)):
        try:
            assert KEY[:9] not in overture.fit(whole, budget).text
        except overture.BudgetError:
            continue


def test_very_many_are_reported_in_few_lines() -> None:
    """A file of nothing but keys does not flood the record, and none is left."""
    prompt = said("\n".join([KEY] * 400))
    assert KEY not in prompt.text
    assert len(prompt.diagnostics) == 50
    assert "and 350 more" in prompt.diagnostics[-1].message


PRIVATE = {
    "memories": ["Ada is allergic to nuts."],
    "user": {"name": "Robin Goodfellow", "timezone": "America/Chicago", "location": "Lisbon, Alfama"},
    "workspace_files": [
        {"name": n, "path": f"/w/{n}", "content": f"Workspace words of {n}."} for n in ("AGENTS.md", "TOOLS.md")
    ],
}
HOST = {
    "host": "devbox9",
    "os": "plan9os",
    "arch": "sparc64",
    "shell": "fishshell",
    "session": "key:main77",
    "timezone": "America/Chicago",
    "accept_language": "pt-PT",
    "location": "Porto, Ribeira",
    "home": "/users/robin-home",
    "sudo_non_interactive": True,
    "sandbox": {"enabled": True, "mode": "allmode", "backend": "podman7", "image": "img:77"},
}
WORDS = (
    "nuts",
    "Goodfellow",
    "Lisbon",
    "Workspace words",
    "devbox9",
    "plan9os",
    "sparc64",
    "fishshell",
    "main77",
    "Chicago",
    "pt-PT",
    "Porto",
    "robin-home",
    "allmode",
    "podman7",
    "img:77",
    "Wandering soul",
    "UTC-06",
)


def full(**more: object) -> overture.State:
    """A state with all that the public does not see."""
    return make_state(
        agent={"name": "Rex", "soul": "Wandering soul."},
        runtime={**HOST, "cwd": "/p", "model": "gpt-5"},
        now="2026-03-07T08:55:05-06:00",
        context_files=[{"path": "/p/AGENTS.md", "content": "Project words."}],
        **{**PRIVATE, **more},
    )


@pytest.mark.parametrize("recipe", BUILTIN)
def test_the_public_sees_none_of_it(recipe: str) -> None:
    """For every recipe: no memory, user, soul, fact of the machine or workspace file, in the prompt or beside it."""
    prompt = overture.build(recipe, full(), audience="public")
    told = prompt.text + "".join(message.text for message in prompt.messages)
    assert [word for word in WORDS if word in told] == []
    private = overture.build(recipe, full())
    assert ("Project words." in told) == ("Project words." in private.text)


def test_the_record_says_why() -> None:
    """A section that is left out, and one that says less, have the reason on the record."""
    prompt = overture.build("moltis", full(audience="public"))
    reasons = {omission.name: omission.reason for omission in prompt.omitted}
    assert reasons["user"] == reasons["workspace"] == "omitted: audience is public"
    assert "omitted: audience is public" in str(prompt.to_dict()["omitted"])
    quiet = overture.build("moltis", make_state(audience="public"))
    assert "omitted: audience is public" not in str(quiet.to_dict())


def test_sub_agents_and_later_builds_are_as_public() -> None:
    """What is derived of a state has its audience, and a change of it builds everything anew."""
    state = full(audience="public")
    assert [word for word in WORDS if word in overture.build("house", state, subagent=True).text] == []
    private = overture.build("house", full())
    public = overture.build("house", private.state.replace(audience="public"), since=private)
    assert "nuts" in private.text and "nuts" not in public.text
    later = overture.build("house", public.state.replace(memories=("Ada likes nuts.",)), since=public)
    assert "nuts" not in later.text
    assert "likes nuts" in overture.build("house", later.state.replace(audience="private"), since=later).text


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_the_first_and_the_last_day_have_a_public_form(now: str) -> None:
    """A time that UTC can't express is shown as it is, without its offset."""
    text = overture.build("nova", make_state(now=now, audience="public")).text
    assert "Current time: " in text
    assert "14:00" not in text


@pytest.mark.parametrize("given", [{"audience": "puplic"}, {"secrets": "none"}])
def test_another_word_is_an_error(given: dict[str, str]) -> None:
    """It names the value and those that are known, in a state as in an argument."""
    with pytest.raises(StateError, match=next(iter(given))):
        overture.build("house", make_state(), **given)  # type: ignore[arg-type]
    with pytest.raises(StateError, match=next(iter(given))):
        overture.State.from_dict(given)
