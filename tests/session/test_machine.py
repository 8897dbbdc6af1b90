"""Random sequences of triggers, hooks, messages and turns: what must hold after any of them."""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import overture
from overture import Change, Session
from overture.assemble.change_prompt import apply_change
from overture.model.prompt.block import Block
from overture.session.change_session import remove_hook, unregister_tools
from overture.session.hooks import AgentStart
from overture.session.message_history import find_separated_call
from overture.session.record_entry import CLOCK_TRIGGERS
from overture.session.session import get_parts
from tests.contract.effort import examples
from tests.contract.session.worlds import SKILL, project

TOOLS = ("read", "bash", "edit", "read_file", "shell", "mcp_a", "mcp_b", "nonsense")
MEMORIES = "/p/.agents/memories.json"
PATHS = ("/p/AGENTS.md", "/p/OPAL.md", "/p/CLAUDE.md", "/p/.sf/SYSTEM.md", MEMORIES)
WORDS = st.sampled_from(["Use tabs.", "</skills>", "", "# Project Context", '["a", "b"]', "Line\nline", "é🚢"])
EDITS = st.sampled_from(
    [
        None, Change.append("End."), Change.prepend("Top."), Change.replace("Other.", "skills"), Change.message("Hm."),
        Change.replace("All."), Change.replace("", "project-context"), Change.replace("x", "nowhere"),
    ]
)  # fmt: skip


class Live(RuleBasedStateMachine):
    """A session that rewrites its prompt."""

    budget: int | None = None
    recipes = ("opal", "pi", "house", "moltis")

    def __init__(self) -> None:
        super().__init__()
        self.world = project()
        self.live = Session("opal", world=self.world)
        self.current: list[tuple[str, Change | None]] = []
        self.turn: overture.Turn | None = None
        self.calls = 0
        self.rebuilds = 0
        self.rebuilt_at = self.world.time

    @initialize(recipe=st.sampled_from(recipes))
    def begin(self, recipe: str) -> None:
        """Any recipe that is not sealed."""
        self.live = Session(recipe, world=self.world, budget=self.budget)
        self.live.turn("Go")

    @rule(names=st.lists(st.sampled_from(TOOLS), max_size=5))
    def set_tools(self, names: list[str]) -> None:
        """Activate some tools, known or not, with duplicates: those that are known, in this order."""
        self.live.set_tools(names)
        after = [name for name in self.names() if name != "use_skill"]
        assert after == [name for name in dict.fromkeys(names) if name in after]

    @rule(name=st.sampled_from(["mcp_a", "mcp_b"]), there=st.booleans())
    def churn(self, name: str, there: bool) -> None:
        """A tool comes or goes; the others keep their order."""
        before = [other for other in self.names() if other != name]
        if there:
            self.live.register({"name": name, "description": f"Does {name}."})
        else:
            unregister_tools(get_parts(self.live), [name])
        assert [other for other in self.names() if other not in (name, "use_skill")] == [
            other for other in before if other != "use_skill"
        ]

    @rule(path=st.sampled_from(PATHS), text=WORDS, how=st.sampled_from(["file", "refresh", "reload", "silent"]))
    def edit(self, path: str, text: str, how: str) -> None:
        """A file changes, and somebody notices or not."""
        self.world.files[path] = text.encode()
        if how == "file":
            self.live.refresh(path)
        elif how != "silent":
            getattr(self.live, how)()

    @rule(path=st.sampled_from(PATHS), noticed=st.booleans())
    def delete(self, path: str, noticed: bool) -> None:
        """A file goes, and somebody notices or not."""
        self.world.files.pop(path, None)
        if noticed:
            self.live.refresh(path)

    @rule(name=st.sampled_from(["tow", "moor"]))
    def add_skill(self, name: str) -> None:
        """Skills from elsewhere."""
        self.world.files[f"/x/{name}/SKILL.md"] = SKILL.format(name).encode()
        self.live.add_resources(skills=["/x"])

    @rule(model=st.sampled_from(["m1", "m2"]))
    def model(self, model: str) -> None:
        """Another model."""
        self.live.update(runtime={"model": model})

    @rule(seconds=st.integers(1, 100_000))
    def wait(self, seconds: int) -> None:
        """Time passes."""
        self.world.time += timedelta(seconds=seconds)

    @rule(keep=st.integers(0, 6))
    def compact(self, keep: int) -> None:
        """Most messages go."""
        self.live.compact("Summary.", keep=keep)

    @rule(keep=st.integers(0, 6))
    def branch(self, keep: int) -> None:
        """Back to an earlier point."""
        self.live.branch("Summary.", keep=keep)

    @rule(count=st.integers(0, 3), skill=st.booleans())
    def answer(self, count: int, skill: bool) -> None:
        """The model says something, and calls tools; news come in between."""
        self.live.result(None, "The call was interrupted.", failed=True)
        self.calls += count
        ids = [f"c{self.calls - number}" for number in range(count)]
        calls = [{"id": id, "name": "shell", "arguments": {"path": "sub/x"}} for id in ids]
        if skill:
            calls.append({"id": f"s{self.calls}", "name": "use_skill", "arguments": {"name": "tides"}})
        self.live.assistant("Hm.", calls)
        self.live.send_message("news")
        if skill:
            assert self.live.answer(self.live.messages[-1].calls[-1])
        for id in ids[1:]:
            self.live.result(id, "ok")

    @rule(changes=st.lists(EDITS, max_size=3))
    def take(self, changes: list[Change | None]) -> None:
        """A turn of the user's, with hooks that want these changes for this one prompt."""
        self.live.result(None, "The call was interrupted.", failed=True)
        self.current = [(f"h{number}", change) for number, change in enumerate(changes)]
        hooks = [self.live.hook("before_agent_start", _hook(change), name=name) for name, change in self.current]
        self.turn = self.live.turn("On")
        for hook in hooks:
            remove_hook(get_parts(self.live), hook)
        self.check(self.turn)
        self.check_fresh(self.turn)

    @rule(tools=st.sampled_from([None, ["read", "shell"], ["bash", "read_file", "read"]]))
    def go_on(self, tools: list[str] | None) -> None:
        """The turn that is going on is continued; its prompt may have been built anew in between."""
        self.live.result(None, "The call was interrupted.", failed=True)
        if tools is not None:
            self.live.set_tools(tools)
        self.turn = self.live.turn()
        self.check(self.turn)

    def check(self, turn: overture.Turn) -> None:
        """The prompt equals a fresh build of the current state with the current turn's hooks."""
        expected = overture.build(self.live.prompt.recipe, self.live.prompt.state)
        assert self.live.prompt.text == expected.text
        assert turn.prompt.text == self.with_hooks(expected).text
        assert turn.entry.chars == len(turn.prompt.text)

    def check_fresh(self, turn: overture.Turn) -> None:
        """After a prompt of the user's, what sections of pace `turn` read is what lies on disk, noticed or not."""
        found = overture.discover(self.live.prompt.recipe, world=self.world)
        followed = get_parts(self.live).current.followed_paths
        assert bool(followed) is (self.live.prompt.recipe.name in ("house", "moltis"))
        if "memories" in followed:
            assert turn.prompt.state.memories == found.state.memories
            notes = [note for note in turn.prompt.found if note.path == MEMORIES]
            assert notes == [note for note in found.diagnostics if note.path == MEMORIES]

    def with_hooks(self, prompt: overture.Prompt) -> overture.Prompt:
        """What this turn's hooks make of a prompt."""
        for name, change in self.current:
            with suppress(overture.RecipeError):  # no such block: the hook is passed over
                prompt = apply_change(prompt, change, name) if change is not None else prompt
        return prompt

    def names(self) -> list[str]:
        """The active tools."""
        return [tool.name for tool in self.live.prompt.state.tools]

    @invariant()
    def nothing_is_parted(self) -> None:
        """A tool call and its result are never parted, in the session or in what was sent."""
        if self.turn is not None:
            assert find_separated_call(self.turn.messages) is None
        if not get_parts(self.live).history.open:
            assert find_separated_call(self.live.messages) is None

    @invariant()
    def the_base_carries_no_edit(self) -> None:
        """The base never holds what a hook did."""
        assert self.live.prompt.edits == ()
        assert all(source.kind != "hook" for block in self.live.prompt.blocks for source in block.sources)

    @invariant()
    def the_clock_is_the_recipes(self) -> None:
        """A clock that follows rebuilds is that of the last one; another is never ahead of the world's."""
        now = self.live.prompt.state.now
        seen = [
            *(trigger for entry in self.live.record for trigger in entry.triggers),
            *get_parts(self.live).turn.triggers,
        ]
        rebuilds = sum(trigger.name in CLOCK_TRIGGERS for trigger in seen)
        if rebuilds > self.rebuilds:
            self.rebuilds, self.rebuilt_at = rebuilds, self.world.time
        if self.live.prompt.recipe.clock == "rebuild":
            assert now == self.rebuilt_at
        assert now is not None and now <= self.world.time


def _hook(change: Change | None) -> Any:
    def hook(event: AgentStart) -> Change | None:
        return change

    return hook


class Budgeted(Live):
    """A session with too small a budget for what it has to say."""

    budget = 600

    def __init__(self) -> None:
        super().__init__()
        self.last: overture.Prompt | None = None

    @rule(budget=st.sampled_from([450, 600, 800]))
    def another(self, budget: int) -> None:
        """Another budget."""
        self.live.update(budget=budget)
        self.budget, self.last = budget, None

    def check(self, turn: overture.Turn) -> None:
        """Both prompts fit; the whole is a fresh build; what did not change is cut as it was, until a reload."""
        base = self.live.prompt
        assert self.budget is not None
        assert max(turn.prompt.tokens, base.tokens) <= self.budget
        assert whole(base).text == overture.build(self.live.prompt.recipe, self.live.prompt.state).text
        assert whole(turn.prompt).text == self.with_hooks(whole(base)).text
        if any(trigger.name == "reload" for trigger in turn.entry.triggers):
            self.last = None
        if self.last is not None and slow(whole(base)) == slow(whole(self.last)):
            assert [b.text for b in slow(base)] == [b.text for b in slow(self.last)]
        self.last = base


def whole(prompt: overture.Prompt) -> overture.Prompt:
    """The prompt before it was cut."""
    return prompt.fitted.whole if prompt.fitted else prompt


def slow(prompt: overture.Prompt) -> list[Block]:
    """The blocks that do not change every turn."""
    return [block for block in prompt.blocks if block.pace != "turn"]


TestLive = Live.TestCase
TestLive.settings = settings(max_examples=examples(150), stateful_step_count=40, deadline=None)
TestBudgeted = Budgeted.TestCase
TestBudgeted.settings = settings(max_examples=examples(150), stateful_step_count=40, deadline=None)
