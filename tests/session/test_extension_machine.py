"""Any sequence of good and bad reloads: what is registered is that of the last good version of each extension."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from overture import Session
from overture.session.session import get_parts
from tests.contract.effort import examples
from tests.contract.session.worlds import project

UNITS = ("a", "b", "c")
PARTS = ("one", "two", "three")
BROKEN = (
    "def setup(session:\n",
    "raise SystemExit\n",
    "def setup(session):\n    session.register({'name': 'half'})\n    1 / 0\n",
    None,
)
Version = tuple[frozenset[str], frozenset[str], frozenset[str]]
NOTHING: Version = (frozenset(), frozenset(), frozenset())


def source(unit: str, version: Version) -> bytes:
    """An extension that registers these tools, hooks and folders of skills, and its own `shared`."""
    tools, hooks, skills = version
    lines = ["def setup(session):", "    pass"]
    lines += [f"    session.register({{'name': '{unit}_{name}'}})" for name in sorted(tools)]
    lines += [f"    session.hook('context', lambda m: None, name='{unit}_{name}')" for name in sorted(hooks)]
    lines += [f"    session.add_resources(skills=['/{unit}/{name}'])" for name in sorted(skills)]
    lines += [f"    session.register({{'name': 'shared', 'snippet': '{unit}'}})"] if "one" in tools else []
    return "\n".join(lines).encode()


class Reloads(RuleBasedStateMachine):
    """Three extensions in files that are edited, broken and deleted, beside a program that registers its own."""

    def __init__(self) -> None:
        super().__init__()
        self.world = project()
        self.written: dict[str, Version | None] = {}
        self.good: dict[str, Version] = {}
        for unit in UNITS:
            self.write(unit, NOTHING)
        self.live = Session("pi", world=self.world, extensions=[f"{unit}.py:setup" for unit in UNITS])
        self.own: list[str] = []
        self.reload("method")

    def write(self, unit: str, version: Version) -> None:
        """A version that works."""
        self.written[unit] = version
        self.world.files[f"/p/{unit}.py"] = source(unit, version)

    @rule(unit=st.sampled_from(UNITS), version=st.tuples(*[st.frozensets(st.sampled_from(PARTS))] * 3))
    def edit(self, unit: str, version: Any) -> None:
        """Somebody writes a version that works."""
        self.write(unit, version)

    @rule(unit=st.sampled_from(UNITS), text=st.sampled_from(BROKEN))
    def spoil(self, unit: str, text: str | None) -> None:
        """Somebody writes one that does not, or deletes the file."""
        self.written[unit] = None
        if text is None:
            self.world.files.pop(f"/p/{unit}.py", None)
        else:
            self.world.files[f"/p/{unit}.py"] = text.encode()

    @rule(how=st.sampled_from(["method", "text"]))
    def reload(self, how: str) -> None:
        """What is written counts from now on, where it works; what does not is reported, once each."""
        turn = self.live.turn("/reload") if how == "text" else self._turned()
        self.good |= {unit: version for unit, version in self.written.items() if version is not None}
        failed = [note.message for note in turn.entry.diagnostics if note.code == "extension-failed"]
        assert len(failed) == sum(version is None for version in self.written.values())

    def _turned(self) -> Any:
        self.live.reload()
        return self.live.turn("On")

    @rule(name=st.sampled_from(["mine_a", "mine_b"]))
    def register(self, name: str) -> None:
        """The program registers a tool and a hook of its own."""
        if name not in self.own:
            self.own.append(name)
            self.live.register({"name": name})
            self.live.hook("context", lambda messages: None, name=name)

    @invariant()
    def it_is_the_last_good_version(self) -> None:
        """Tools, hooks and resources are those of the last good versions, and the program's own."""
        tools = {tool.name: tool for tool in self.live.prompt.state.tools}
        named = {f"{unit}_{name}" for unit, (own, _, _) in self.good.items() for name in own}
        shared = [unit for unit in UNITS if "one" in self.good[unit][0]]
        expected = named | set(self.own) | {"read", "bash", "edit", "write"} | ({"shared"} if shared else set())
        assert set(tools) == expected
        assert not shared or tools["shared"].snippet == shared[-1]
        hooks = [hook.name for hook in get_parts(self.live).hooks["context"]]
        assert sorted(hooks) == sorted([f"{unit}_{name}" for unit in UNITS for name in self.good[unit][1]] + self.own)
        assert [name for name in hooks if name in self.own] == self.own
        assert set(get_parts(self.live).resources.skills) == {
            f"/{unit}/{name}" for unit in UNITS for name in self.good[unit][2]
        }


TestReloads = Reloads.TestCase
TestReloads.settings = settings(max_examples=examples(50), stateful_step_count=20, deadline=None)
