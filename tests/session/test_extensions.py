"""Extensions: functions that set up a session, and do all that they ask for or nothing."""

import asyncio
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from overture import Change, Resources, Session, Turn
from overture.session.change_session import remove_hook, unregister_tools
from overture.session.session import get_parts
from tests.contract.session.worlds import SKILL, project, session

DEPLOY = {"parameters": {"type": "object"}, "name": "deploy", "description": "Deploy.", "snippet": "Ship it"}


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    """What a test imports is gone after it."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in [name for name in sys.modules if name.startswith(("harbor_", "overture_extension_"))]:
        del sys.modules[name]
    importlib.invalidate_caches()


def put(path: Path, text: str) -> Path:
    """A file with that text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def registering(*names: str, also: str = "") -> str:
    """The source of an extension that registers these tools."""
    lines = [
        f"    session.register({{'parameters': {{'type': 'object'}}, 'name': {name!r}, 'snippet': 'Does {name}'}})"
        for name in names
    ]
    return "\n".join(["def setup(session):", "    pass", *lines, *(f"    {line}" for line in also.splitlines())]) + "\n"


def at(top: Path, **options: Any) -> Session:
    """A session on real folders: `top`/p, with `top`/home as home."""
    (top / "p").mkdir(exist_ok=True)
    (top / "home").mkdir(exist_ok=True)
    return Session("pi", cwd=top / "p", home=top / "home", root=top / "p", **options)


def tools(live: Session) -> list[str]:
    """The active tools that pi does not have itself."""
    return [tool.name for tool in live.prompt.state.tools if tool.name not in ("read", "bash", "edit", "write")]


def asked(live: Session, text: str | None, how: str) -> Turn:
    """A turn, on a thread or on an event loop."""
    return live.turn(text) if how == "turn" else asyncio.run(live.aturn(text))


def said(live: Session) -> list[str]:
    """What the last turn reports."""
    return [note.message for note in live.record[-1].diagnostics]


def came(live: Session) -> list[str]:
    """What the last turn says of extensions."""
    return [trigger.reason for trigger in live.record[-1].triggers if trigger.name == "extensions"]


@pytest.mark.parametrize("how", ["turn", "aturn"])
def test_a_function_sets_up_a_session(how: str) -> None:
    """Tools, hooks and resources that it registers are there from the first prompt on, and the record says so."""
    world = project()
    world.files["/x/tow/SKILL.md"] = SKILL.format("tow").encode()
    seen: list[Session] = []

    def setup(session: Session) -> None:
        seen.append(session)
        session.register(DEPLOY)
        session.add_resources(skills=["/x"])
        session.update(memories=["Ada prefers tabs"])

        @session.hook("before_agent_start", name="audit")
        def audit(event: Any) -> Change:
            return Change.append("Audited.")

    live = session("pi", world, extensions=[setup])
    turn = asked(live, "Go", how)
    assert seen == [live]
    assert "- deploy: Ship it" in turn.prompt.text
    assert "<name>tow</name>" in turn.prompt.text
    assert turn.prompt.text.endswith("Audited.")
    assert live.prompt.state.memories == ("Ada prefers tabs",)
    assert turn.entry.diagnostics == ()
    assert {block.how for block in turn.entry.changed} == {"added"}
    (reason,) = came(live)
    assert reason.startswith("tests.session.test_extensions:test_a_function_sets_up_a_session.setup loaded: ")
    assert "tool deploy, hook audit on before_agent_start, field memories, skills /x" in reason


@pytest.mark.parametrize("how", ["turn", "aturn"])
def test_an_async_function_too(how: str) -> None:
    """`async def setup` is awaited, on a thread and on an event loop alike."""

    async def setup(session: Session) -> None:
        await asyncio.sleep(0)
        session.register(DEPLOY)

    live = session("pi", extensions=[setup])
    assert "- deploy: Ship it" in asked(live, "Go", how).prompt.text


@pytest.mark.parametrize("begin", ["prompt", "themes", "register", "with"])
def test_whatever_begins_the_session_begins_them(begin: str) -> None:
    """They are set up once, by whatever comes first."""
    calls: list[int] = []

    def setup(session: Session) -> None:
        calls.append(1)
        session.register(DEPLOY)

    live = session("pi", extensions=[setup])
    if begin == "register":
        live.register({"parameters": {"type": "object"}, "name": "other"})
    elif begin == "with":
        with live:
            pass
    else:
        getattr(live, begin)
    assert calls == [1]
    assert tools(live)[0] == "deploy"
    live.turn("Go")
    assert calls == [1]


def test_all_methods_work_while_it_is_set_up() -> None:
    """What a session can do between turns, an extension can ask for; what it reads is the session without it."""
    seen: dict[str, Any] = {}

    def setup(session: Session) -> None:
        seen["tools"] = [tool.name for tool in session.prompt.state.tools]
        seen["recipe"] = session.prompt.recipe.name
        seen["prompt"] = session.prompt.text
        seen["child"] = session.subagent("Look.").turn().messages[0].text
        session.update(budget=3000)
        session.update(runtime={"model": "m1"})
        session.register(DEPLOY)
        session.set_tools(["deploy", "read"])
        session.send_message("Hello from an extension.")
        session.send_message("Later.", when="next")
        unregister_tools(get_parts(session), ["bash"])
        hook = session.hook("context", lambda messages: None)
        remove_hook(get_parts(session), hook)
        session.refresh()
        session.refresh("/nowhere")

    live = session("pi", extensions=[setup])
    turn = live.turn("Go")
    assert said(live) == []
    assert seen["tools"] == ["read", "bash", "edit", "write"]
    assert seen["recipe"] == "pi"
    assert "- bash" in seen["prompt"]
    assert seen["child"] == "Look."
    assert [tool.name for tool in turn.tools] == ["deploy", "read"]
    assert [m.text for m in turn.messages] == ["Hello from an extension.", "Go", "Later."]
    assert live.prompt.state.runtime is not None and live.prompt.state.runtime.model == "m1"
    assert get_parts(live).hooks["context"] == []


FAILING = {
    "raises": ("    raise ValueError('no')\n", "it raised ValueError: no"),
    "exits": ("    raise SystemExit(3)\n", "it raised SystemExit: 3"),
    "interrupts": ("    raise KeyboardInterrupt\n", "it raised KeyboardInterrupt"),
    "several lines": ("    raise ValueError('one\\ntwo')\n", "it raised ValueError: one two"),
    "bad tool": ("    session.register({'nam': 'x'})\n", "it raised"),
    "bad field": ("    session.update(tsak=1)\n", "it raised StateError"),
    "bad event": ("    session.hook('befor', print)\n", "it raised SessionError: Event 'befor' is not known"),
    "bad section": ("    session.update(budget=overture.Budget(9, sections={'x': 1}))\n", "it raised"),
    "a generator": ("    yield\n", "`yield`"),
    "slow": ("    import time; time.sleep(60)\n", "it took longer than 1 s"),
}


@pytest.mark.parametrize("kind", FAILING)
def test_one_that_fails_leaves_nothing_half_done(kind: str, tmp_path: Path) -> None:
    """Whatever goes wrong, the others are loaded, nothing of it is there, and one line says which and why."""
    more, problem = FAILING[kind]
    good, bad = put(tmp_path / "good.py", registering("good")), put(tmp_path / "bad.py", "")
    half = "{'parameters': {'type': 'object'}, 'name': 'half'}"
    hooks = f"import overture\ndef setup(session):\n    session.register({half})\n"
    hooks += "    session.hook('context', lambda m: [])\n    session.add_resources(skills=['/x'])\n"
    hooks += "    session.update(memories=['half'])\n    session.send_message('half')\n"
    put(bad, hooks + more)
    live = at(tmp_path, extensions=[f"{bad}:setup", f"{good}:setup"], hook_limit=1.0 if kind == "slow" else 10)
    turn = live.turn("Go")
    assert tools(live) == ["good"]
    assert get_parts(live).hooks["context"] == []
    assert get_parts(live).resources == Resources()
    assert live.prompt.state.memories == ()
    assert [m.text for m in turn.messages] == ["Go"]
    (line,) = said(live)
    assert line.startswith(f"extension '{bad}:setup' is not loaded: ")
    assert problem in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "spec", "problem"),
    [
        ("def setup(session:\n", "x.py:setup", "SyntaxError"),
        ("import nowhere_to_be_found\n", "x.py:setup", "ModuleNotFoundError"),
        ("raise SystemExit\n", "x.py:setup", "SystemExit"),
        ("def other(session): pass\n", "x.py:setup", "the module has no 'setup'; it has: other"),
        ("setup = 7\n", "x.py:setup", "'setup' is 7, which is not callable"),
        ("", "x.py", "does not name a function; write"),
        ("", "y.py:setup", "no such file: '"),
        ("", "not a module:setup", "'not a module' is not a module name"),
        ("", "nowhere_to_be_found:setup", "No module named 'nowhere_to_be_found'"),
        ("", "", "'' does not name a function"),
        ("\x00", "x.py:setup", "it raised"),
    ],
)
def test_one_that_can_not_be_found_or_run(text: str, spec: str, problem: str, tmp_path: Path) -> None:
    """A file that is no Python, a name that leads nowhere, something that is no function: one line each."""
    put(tmp_path / "p/x.py", text)
    live = at(tmp_path, extensions=[spec, lambda session: session.register(DEPLOY)])
    live.turn("Go")
    (line,) = said(live)
    assert line.startswith(f"extension {spec!r} is not loaded: ")
    assert problem in line
    assert tools(live) == ["deploy"]


@pytest.mark.parametrize("how", ["turn", "aturn"])
@pytest.mark.parametrize("reload", ["method", "text"])
def test_a_reload_sets_them_up_anew(reload: str, how: str, tmp_path: Path) -> None:
    """After a reload what the old one registered is gone, and what the new one registers is there."""
    more = "session.hook('before_agent_start', one)\nsession.update(memories=['one'])\n"
    more += "session.add_resources(skills=['/one'])"
    hook = "from overture import Change\ndef {0}(event):\n    return Change.append('Said by {0}.')\n"
    file = put(tmp_path / "p/x.py", hook.format("one") + registering("one", "same", also=more))
    live = at(tmp_path, extensions=["x.py:setup"])
    assert asked(live, "Go", how).prompt.text.endswith("Said by one.")
    assert tools(live) == ["one", "same"]
    put(file, hook.format("two") + registering("same", "two", also=more.replace("one", "two")))
    if reload == "method":
        live.reload()
    else:
        asked(live, "/reload", how)
    turn = asked(live, "On", how)
    assert turn.prompt.text.endswith("Said by two.")
    assert "Said by one." not in turn.prompt.text
    assert tools(live) == ["same", "two"]
    assert live.prompt.state.memories == ("two",)
    assert get_parts(live).resources.skills == ("/two",)
    entry = live.record[-1] if reload == "method" else live.record[-2]
    reasons = [trigger.reason for trigger in entry.triggers if trigger.name == "extensions"]
    assert reasons == [
        "x.py:setup changed: tool two, hook two on before_agent_start, skills /two added; "
        "tool one, hook one on before_agent_start, skills /one removed"
    ]


@pytest.mark.parametrize(
    "broken", ["def setup(session:\n", "raise SystemExit\n", "def setup(session):\n    raise ValueError('no')\n", None]
)
def test_a_reload_that_fails_leaves_the_old_one(broken: str | None, tmp_path: Path) -> None:
    """If the new one fails, or its file is gone, the old one stands as it was, and the others are new."""
    more = "session.hook('before_agent_start', said)\nsession.update(memories=['kept'])\n"
    more += "session.add_resources(skills=['/kept'])"
    source = "from overture import Change\nWORD = 'Old.'\ndef said(event):\n    return Change.append(WORD)\n"
    file = put(tmp_path / "p/x.py", source + registering("kept", also=more))
    other = put(tmp_path / "p/y.py", registering("one"))
    live = at(tmp_path, extensions=["x.py:setup", "y.py:setup"])
    before = live.turn("Go").prompt.text
    put(other, registering("two"))
    put(file, "WORD = 'New.'\n" + broken) if broken is not None else file.unlink()
    live.reload()
    turn = live.turn("On")
    assert tools(live) == ["kept", "two"]
    assert turn.prompt.text.endswith("Old.")
    assert turn.prompt.text.count("Old.") == before.count("Old.") == 1
    assert live.prompt.state.memories == ("kept",)
    assert get_parts(live).resources.skills == ("/kept",)
    (line,) = said(live)
    assert line.startswith("extension 'x.py:setup' is unchanged: ")
    put(file, registering("mended"))
    live.reload()
    live.turn("On")
    assert tools(live) == ["two", "mended"]
    assert said(live) == []


def test_a_tool_that_was_replaced_comes_back(tmp_path: Path) -> None:
    """An extension's own `read` stands in the place of pi's, through reloads, until it registers it no more."""
    file = put(tmp_path / "p/x.py", registering("read"))
    live = at(tmp_path, extensions=["x.py:setup"])
    own = "- read: Does read"
    assert own in live.turn("Go").prompt.text
    live.reload()
    assert own in live.turn("On").prompt.text
    assert live.turn("On").tools[0].name == "read"
    put(file, registering())
    live.reload()
    turn = live.turn("On")
    assert own not in turn.prompt.text
    assert [tool.name for tool in turn.tools] == ["read", "bash", "edit", "write"]


def test_what_the_caller_chose_stays(tmp_path: Path) -> None:
    """A tool of an extension's that was made inactive, replaced or taken away stays so after reloads."""
    file = put(tmp_path / "p/x.py", registering("one", "two", "three", "four"))
    live = at(tmp_path, extensions=["x.py:setup"])
    live.turn("Go")
    live.set_tools(["read", "one", "two", "four"])
    live.register({"parameters": {"type": "object"}, "name": "two", "snippet": "Mine"})
    unregister_tools(get_parts(live), ["four"])
    for _ in range(2):
        live.reload()
        turn = live.turn("On")
        assert [tool.name for tool in turn.tools] == ["read", "one", "two"]
        assert "- two: Mine" in turn.prompt.text
    put(file, registering())
    live.reload()
    assert "- two: Mine" in live.turn("On").prompt.text
    assert tools(live) == ["two"]


def test_a_sub_agent_does_not_run_them() -> None:
    """A sub-agent inherits the tools and sets nothing up, at its start or at a reload of its own."""
    calls: list[int] = []

    def setup(session: Session) -> None:
        calls.append(1)
        session.register(DEPLOY)

    live = session("pi", extensions=[setup])
    child = live.subagent("Look.")
    assert "- deploy: Ship it" in child.turn().prompt.text
    assert "- deploy: Ship it" in child.turn("/reload").prompt.text
    assert calls == [1]


def test_a_resumed_session_has_the_same_bytes(tmp_path: Path) -> None:
    """Given again, extensions are set up anew: the same tools are the same bytes, and the hooks are back."""

    def setup(session: Session) -> None:
        session.register(DEPLOY)
        session.update(memories=["one"])
        session.hook("before_agent_start", lambda event: Change.append("Audited."), name="audit")

    live = session("pi", extensions=[setup])
    turn = live.turn("Go")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=project(), extensions=[setup])
    assert again.turn().to_openai() == turn.to_openai()
    assert said(again) == []
    assert [t.name for t in again.record[-1].triggers] == ["resume", "extensions"]
    assert came(again)[0].endswith("changed: hook audit on before_agent_start added")
    assert again.turn("On").prompt.text.endswith("Audited.")
    assert again.prompt.text == live.prompt.text


def test_one_that_is_not_given_again_is_reported(tmp_path: Path) -> None:
    """A resume without it keeps the bytes and says that its hooks are removed; a reload lets its tools go too."""

    def setup(session: Session) -> None:
        session.register(DEPLOY)

    live = session("pi", extensions=[setup])
    turn = live.turn("Go")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=project())
    assert again.turn().to_openai() == turn.to_openai()
    (line,) = said(again)
    assert (
        "setup' of the saved session is missing: what it registered stays until a reload, its hooks are removed" in line
    )
    again.turn("/reload")
    assert tools(again) == []
    assert came(again)[0].endswith("setup unloaded: tool deploy")


def test_themes_are_handed_on_and_never_sent(tmp_path: Path) -> None:
    """Themes of programs, hooks and extensions are absolute paths in order, each once, and in no prompt."""
    for name in ("a", "b", "c"):
        put(tmp_path / f"p/themes/{name}.json", "THEME")
    live = at(
        tmp_path,
        resources=Resources(themes=("themes/a.json",)),
        extensions=[lambda session: session.add_resources(themes=["themes/b.json", "themes/a.json"])],
    )
    live.hook("resources_discover", lambda event: {"themePaths": [str(tmp_path / "p/themes/c.json")]})
    live.hook("resources_discover", lambda event: {"themes": ["themes/b.json"]})
    plain = at(tmp_path).turn("Go")
    turn = live.turn("Go")
    assert live.themes == tuple(str(tmp_path / f"p/themes/{name}.json") for name in ("a", "b", "c"))
    assert turn.prompt.text.split("\nCurrent date")[0] == plain.prompt.text.split("\nCurrent date")[0]
    assert turn.prompt.diagnostics == ()
    assert "THEME" not in str(turn.to_openai())
    assert ".json" not in str(turn.to_openai())
