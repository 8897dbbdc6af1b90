"""The provider as a server: every form of request that agents use, whole and streamed, each with its usage."""

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.contract.agents.lab.speech import Protocol, Reply
from tests.contract.agents.lab.upstream import Upstream

from . import blocks as forms
from .caches import HOUR, MINUTE, STEP, BreakpointCache, PrefixCache, Usage, openai_seed

Json = dict[str, Any]
LONG_KEPT = re.compile(r"gpt-(5\.5.*|5\.4|5\.2|5\.1|5|4\.1)")
"""Models before GPT-5.6 whose prompts OpenAI keeps for a day, unless a request asks for less."""
SINCE_5_6 = ("gpt-5.6", "gpt-6")


class CachingProvider:
    """All caches of a provider. `evict` forgets, `offset` moves its clock."""

    def __init__(self, *, strips_header: bool = True, folder: Path | None = None) -> None:
        self.strips_header, self.folder = strips_header, folder
        self.offset = 0.0
        self.breakpoints = BreakpointCache(self.clock)
        day, short = 24 * HOUR, 10 * MINUTE
        self.prefixes = {life: PrefixCache(self.clock, life, 1024, STEP) for life in (day, short)}
        self.gemini = {least: PrefixCache(self.clock, HOUR, least, 1) for least in (2048, 4096)}
        self.answers: dict[str, list[str]] = {}
        """What each answered request said, by the answer's id: the sections by which a miss is diagnosed."""

    def clock(self) -> float:
        """The provider's time."""
        return time.time() + self.offset

    def evict(self) -> None:
        """Forget every prefix."""
        self.breakpoints.evict()
        for cache in (*self.prefixes.values(), *self.gemini.values()):
            cache.evict()

    def _obey(self) -> None:
        """What the folder asks for: a file `evict`, and `clock` with the seconds by which time has moved."""
        if self.folder is None:
            return
        if (self.folder / "evict").exists():
            (self.folder / "evict").unlink()
            self.evict()
        moved = self.folder / "clock"
        self.offset = float(moved.read_text(encoding="utf-8")) if moved.exists() else self.offset

    def usage(self, protocol: str, body: Json, path: str, headers: Mapping[str, str], id: str) -> Json:
        """What a request is charged, in the words of its form."""
        self._obey()
        began = self.clock()
        if protocol == "anthropic":
            blocks = forms.anthropic_blocks(body, strips_header=self.strips_header)
            betas = headers.get("anthropic-beta") or ""
            return self._anthropic(self.breakpoints.anthropic(body, blocks, betas, began), body, blocks, id)
        if protocol == "gemini":
            model = path.partition("/models/")[2].partition(":")[0]
            cache = self.gemini[2048 if "2.5" in model else 4096]
            return _gemini(cache.take(model, forms.gemini_blocks(body), began))
        chat = protocol == "chat"
        used = self._openai(body, forms.chat_blocks(body) if chat else forms.responses_blocks(body), began)
        return _openai(used, "prompt" if chat else "input", "completion" if chat else "output")

    def _openai(self, body: Json, blocks: list[forms.Block], began: float) -> Usage:
        model = str(body.get("model"))
        if model.startswith(SINCE_5_6):
            return self.breakpoints.openai(body, blocks, began)
        short = body.get("prompt_cache_retention") == "in_memory" or not LONG_KEPT.fullmatch(model)
        life = 10 * MINUTE if short else 24 * HOUR
        return self.prefixes[life].take(openai_seed(body), blocks, began)

    def _anthropic(self, used: Usage, body: Json, blocks: list[forms.Block], id: str) -> Json:
        said: Json = {
            "input_tokens": used.total - used.read - used.written, "cache_read_input_tokens": used.read,
            "cache_creation_input_tokens": used.written, "output_tokens": 1,
            "cache_creation": {"ephemeral_1h_input_tokens": used.hour,
                               "ephemeral_5m_input_tokens": used.written - used.hour},
        }  # fmt: skip
        mine = [str(body.get("model")), *(_said(blocks, name) for name in ("tools", "system", "messages"))]
        if "diagnostics" in body:
            said["diagnostics"] = self._diagnosis(body["diagnostics"].get("previous_message_id"), mine)
        self.answers[f"msg_{id}"] = mine
        return said

    def _diagnosis(self, before: str | None, mine: list[str]) -> Json | None:
        """What differs first from an earlier request, as Anthropic tells it."""
        old = self.answers.get(before or "")
        if old is None:
            return {"cache_miss_reason": {"type": "previous_message_not_found"}} if before else None
        for at, name in enumerate(("model", "tools", "system", "messages")):
            if not (mine[at].startswith(old[at]) if name == "messages" else mine[at] == old[at]):
                return {"cache_miss_reason": {"type": f"{name}_changed", "cache_missed_input_tokens": 1}}
        return None


def _said(blocks: list[forms.Block], section: str) -> str:
    return "\0".join(f"{block.role}\0{block.text}" for block in blocks if block.section == section)


def _openai(used: Usage, given: str, made: str) -> Json:
    details = {"cached_tokens": used.read, "cache_write_tokens": used.written}
    total = {f"{given}_tokens": used.total, f"{made}_tokens": 1, "total_tokens": used.total + 1}
    return {**total, f"{given}_tokens_details": details, f"{made}_tokens_details": {"reasoning_tokens": 0}}


def _gemini(used: Usage) -> Json:
    read = {"cachedContentTokenCount": used.read} if used.read else {}
    return {"promptTokenCount": used.total, "candidatesTokenCount": 1, "totalTokenCount": used.total + 1, **read}


class ProviderServer(Upstream):
    """The provider on loopback; each request is a line of the log, with its usage."""

    def __init__(self, log: Path, provider: CachingProvider, reads: tuple[str, ...] = (), port: int = 0) -> None:
        super().__init__(log, reads, port)
        self.provider, self.asked = provider, 0

    def answer(
        self, protocol: Protocol, body: Json, path: str, reply: Reply, headers: Mapping[str, str]
    ) -> tuple[str, str]:
        """An answer that reports what the cache gave; counting tokens fills none."""
        if path.partition("?")[0].lower().endswith(("count_tokens", "counttokens")):
            return protocol.answer(body, path, reply)
        with self.lock:
            self.asked += 1
            number = f"{self.asked:04d}"
            used = self.provider.usage(protocol.name, body, path, headers, number)
            with self.log.with_suffix(".usage").open("a", encoding="utf-8") as log:
                log.write(json.dumps({"path": path.partition("?")[0], "id": number, "usage": used}) + "\n")
        return protocol.answer(body, path, reply, used, number)
