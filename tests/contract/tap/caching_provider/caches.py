"""Caches by the published rules: Anthropic's breakpoints, OpenAI's before and after GPT-5.6, Gemini's implicit one."""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .blocks import Block, count, positions

Json = dict[str, Any]
MINUTE, HOUR = 60.0, 3600.0
LOOKBACK = 20
"""Positions at which Anthropic looks for an entry, the breakpoint being the first."""
STEP = 128
LATEST = 80
"""Breakpoints that OpenAI matches since GPT-5.6."""
NEVER_CACHED = -1
ANTHROPIC_MINIMUMS = (("opus-4-7", 2048), ("opus-4-[56]", 4096), ("haiku-4-5", 4096), ("(opus|sonnet|haiku)-5-5", 512),
                      ("opus-5", 512), ("fable|mythos", 512), ("", 1024))  # fmt: skip
DEFAULTS = {"tool_choice": {"type": "auto"}, "thinking": {"type": "disabled"}}
"""What is the same as nothing."""


class Usage(NamedTuple):
    """Tokens of a request, as the provider counts and charges them."""

    total: int
    read: int = 0
    written: int = 0
    hour: int = 0
    """Of those written, the ones that live for an hour."""


class Entry(NamedTuple):
    """A prefix that may be read."""

    since: float
    """Before this time, no answer had begun."""
    until: float
    life: float


class BreakpointCache:
    """Entries at breakpoints: Anthropic's, and OpenAI's since GPT-5.6."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.entries: dict[str, Entry] = {}

    def evict(self) -> None:
        """Forget everything."""
        self.entries.clear()

    def anthropic(self, body: Json, blocks: list[Block], betas: str, began: float) -> Usage:
        """Read at the highest breakpoint that finds an entry, and write at those behind it."""
        ends = _chain(blocks, json.dumps([body.get("model"), sorted(betas.replace(" ", "").split(","))]), _levels(body))
        tokens = list(positions(blocks))
        least = next(number for name, number in ANTHROPIC_MINIMUMS if re.search(name, str(body.get("model"))))
        marks = [at for at, block in enumerate(blocks) if block.ttl is not None and tokens[at] >= least]
        found = [at for mark in marks for at in range(mark, max(mark - LOOKBACK, -1), -1) if self._alive(ends[at])]
        hit = max(found, default=-1)
        for at in {*[at for at in marks if at <= hit], *([hit] if hit >= 0 else [])}:
            self._refresh(ends[at], began)
        behind = [mark for mark in marks if mark > hit]
        for mark in behind:
            life = HOUR if blocks[mark].ttl == "1h" else 5 * MINUTE
            self.entries[ends[mark]] = Entry(self.clock(), began + life, life)
        read = tokens[hit] if hit >= 0 else 0
        last_hour = max((tokens[at] for at in behind if blocks[at].ttl == "1h"), default=read)
        return Usage(
            tokens[-1] if tokens else 0, read, (tokens[behind[-1]] if behind else read) - read, last_hour - read
        )

    def openai(self, body: Json, blocks: list[Block], began: float) -> Usage:
        """Read at the longest of the latest breakpoints that the request begins with; write at its own."""
        options = body.get("prompt_cache_options") or {}
        ends, tokens = _chain(blocks, _openai_seed(body), {}), list(positions(blocks))
        marks = [at for at, block in enumerate(blocks) if block.ttl is not None]
        if options.get("mode") != "explicit" and blocks:
            marks = sorted({*marks, max(at for at, block in enumerate(blocks) if block.role != "assistant")})
        marks = [at for at in marks if tokens[at] >= 1024]
        latest = set(list(self.entries)[-LATEST:])
        hit = max((at for at, end in enumerate(ends) if end in latest and self._alive(end) and marks), default=-1)
        if hit >= 0:
            self._refresh(ends[hit], began)
        for mark in marks:
            if mark > hit:
                self.entries[ends[mark]] = Entry(self.clock(), began + 30 * MINUTE, 30 * MINUTE)
        read = tokens[hit] if hit >= 0 else 0
        return Usage(tokens[-1] if tokens else 0, read, max((tokens[marks[-1]] if marks else 0) - read, 0))

    def _alive(self, end: str) -> bool:
        entry = self.entries.get(end)
        return entry is not None and entry.since <= self.clock() <= entry.until

    def _refresh(self, end: str, began: float) -> None:
        old = self.entries[end]
        self.entries[end] = old._replace(until=began + old.life)


class PrefixCache:
    """Whole prompts, of which the longest common beginning is read: OpenAI's before GPT-5.6, and Gemini's."""

    def __init__(self, clock: Callable[[], float], life: float, least: int, step: int) -> None:
        self.clock, self.life, self.least, self.step = clock, life, least, step
        self.prompts: dict[str, float] = {}

    def evict(self) -> None:
        """Forget everything."""
        self.prompts.clear()

    def take(self, seed: str, blocks: list[Block], began: float) -> Usage:
        """Read what an earlier prompt began with, and keep this one."""
        prompt = seed + "".join(f"\n\0{block.section}\0{block.role}\0{block.text}" for block in blocks)
        total = sum(block.tokens for block in blocks)
        shared = max((_common(old, prompt) for old, until in self.prompts.items() if began <= until), default=0)
        size, whole = self._tokens(seed, blocks, shared), total // self.step * self.step
        read = min(size // self.step * self.step, whole) if size >= self.least else 0
        self.prompts[prompt] = began + self.life
        return Usage(total, read)

    @staticmethod
    def _tokens(seed: str, blocks: list[Block], shared: int) -> int:
        """Tokens of the first characters of a prompt."""
        left, total = shared - len(seed), 0
        for block in blocks:
            left -= len(f"\n\0{block.section}\0{block.role}\0")
            if left < len(block.text):
                return total + (count(block.text[: max(left, 0)]) if left > 0 else 0)
            left -= len(block.text)
            total += block.tokens
        return total


def _common(old: str, new: str) -> int:
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if old[:middle] == new[:middle] else (low, middle - 1)
    return low


def _levels(body: Json) -> dict[str, str]:
    """What re-keys the system prompt and what stands behind it, and what re-keys only the messages."""
    used = {name: value for name, value in body.items() if DEFAULTS.get(name) != value}
    has_image = '"type": "image"' in json.dumps(body.get("messages"))
    effort = (used.get("output_config") or {}).get("effort")
    own = [used.get("tool_choice"), used.get("thinking"), effort, has_image]
    return {"system": json.dumps([used.get("speed")]), "messages": json.dumps(own)}


def _openai_seed(body: Json) -> str:
    """What no entry survives: the model, the effort, the schema of the answer."""
    effort = (body.get("reasoning") or {}).get("effort") or body.get("reasoning_effort")
    return json.dumps([body.get("model"), effort, body.get("text"), body.get("response_format")])


def openai_seed(body: Json) -> str:
    """The same, and the key by which requests are routed."""
    return f"{_openai_seed(body)}{body.get('prompt_cache_key')}"


def _chain(blocks: Sequence[Block], seed: str, levels: dict[str, str]) -> list[str]:
    state, ends, section = hashlib.sha256(seed.encode()), list[str](), "tools"
    for block in blocks:
        for name in ("system", "messages"):
            if section != block.section and name in levels and _is_behind(block.section, name, section):
                state.update(levels[name].encode())
        section = block.section
        state.update(f"\0{block.section}\0{block.role}\0{block.text}".encode("utf-8", "replace"))
        ends.append(state.hexdigest())
    return ends


def _is_behind(section: str, level: str, before: str) -> bool:
    order = ("tools", "system", "messages")
    return order.index(before) < order.index(level) <= order.index(section)
