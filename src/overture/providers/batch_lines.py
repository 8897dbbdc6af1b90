"""One line of a provider's batch file for each row. Shared text is encoded once.

The provider's own module writes the first request of a shape. Its texts become slots, and later rows of the same
shape fill them: blocks of the system prompt, the message, the id. A request that does not fit is written in full.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from ..assemble.choose_cache_breakpoints import find_stable_ends
from ..known_models.model_facts import TableForm
from ..known_models.model_table import ANY_MODEL
from ..model.message import Message
from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.recipe.section import Section
from ..model.state.field_paths import put_value
from .render import facts_for, list_native_tools, request
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput, derive_cache_key, list_block_ends
from .write.tools import order_tools, tools_text

SLOT = "\ue000{}\ue000"
"""A private character on both sides of a name: no request contains it by chance."""
SLOTS = re.compile(SLOT.format(r"(\w+)").encode())
JSON_JOIN = b"\\n\\n"
MARGIN_TOKENS = 8
"""A request this near to the cache's minimum is written in full: blocks count blank lines that a prefix lacks."""


class BatchForm(NamedTuple):
    """The limits of a provider's batch file, as documented in November 2026."""

    form: str
    max_bytes: int
    max_requests: int = 10**9
    min_requests: int = 1
    max_id: int = 512
    """Characters of an id; only Anthropic publishes a limit."""
    ids: str = "."
    """A pattern of the characters of an id."""
    needs_model: bool = False
    tools: bool = True
    output_limit: str = ""
    """The field of a request that limits the tokens of an answer."""
    page: str = ""
    """The provider's documentation of it."""


OPENAI = BatchForm(
    "openai-responses", 200_000_000, 50_000, needs_model=True, output_limit="max_output_tokens",
    page="https://platform.openai.com/docs/guides/batch",
)  # fmt: skip
BATCH_FORMS = {
    "openai": OPENAI,
    "openai-responses": OPENAI,
    "openai-chat": OPENAI._replace(form="openai-chat", output_limit="max_completion_tokens"),
    "anthropic": BatchForm(
        "anthropic", 256_000_000, 100_000, max_id=64, ids="[a-zA-Z0-9_-]", needs_model=True, output_limit="max_tokens",
        page="https://docs.claude.com/en/docs/build-with-claude/batch-processing",
    ),
    "gemini": BatchForm(
        "gemini", 2_000_000_000, output_limit="generationConfig.maxOutputTokens",
        page="https://ai.google.dev/gemini-api/docs/batch-api",
    ),
    "bedrock": BatchForm(  # of the type Converse, without tools
        "bedrock", 1_000_000_000, 50_000, 100, tools=False, output_limit="inferenceConfig.maxTokens",
        page="https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-data.html",
    ),
}  # fmt: skip
NO_LIMITS = BatchForm("", 2**62)
URLS = {"openai-responses": "/v1/responses", "openai-chat": "/v1/chat/completions"}
DEFAULT_MAX_TOKENS = 4_096
"""Anthropic requires a limit for the answer."""


def wrap_request(form: str, identity: str, body: dict[str, Any], settings: Mapping[str, Any]) -> bytes:
    """The line of a batch file that contains a request."""
    if form in ("gemini", "bedrock"):  # the job names the model; the file has no `config` of the SDK
        body = {**body, **body.get("config", {})}
        body = {key: value for key, value in body.items() if key not in ("model", "modelId", "config")}
    elif form == "anthropic":
        body.setdefault("max_tokens", DEFAULT_MAX_TOKENS)
    for path, value in settings.items():
        put_value(body, path, value)
    line = {
        "gemini": {"key": identity, "request": body},
        "bedrock": {"recordId": identity, "modelInput": body},
        "anthropic": {"custom_id": identity, "params": body},
    }.get(form) or {"custom_id": identity, "method": "POST", "url": URLS[form], "body": body}
    return msgspec.json.encode(line) + b"\n"


class Template(NamedTuple):
    """A line with slots: literal bytes and names, in turn."""

    literals: list[bytes]
    names: list[str]
    pieces: dict[str, tuple[int, int]]
    """The blocks of the system prompt that a slot holds."""


class Shape:
    """The texts and templates that requests of the same sections share."""

    def __init__(self, prompt: Prompt, varying: frozenset[Section]) -> None:
        """Encode what all rows of a batch share; `varying` are the sections that differ from row to row."""
        ends = {end: count for count, (_, end) in enumerate(list_block_ends(prompt), 1)}
        reached = find_stable_ends(list_block_ends(prompt))
        self.stable = [ends[end] for pace, end in reached.items() if pace != "turn"]
        """How many blocks are static, and how many last a session: where a request may set its marks."""
        self.varying = [index for index, block in enumerate(prompt.blocks) if block.section in varying]
        self.shared = self.varying[0] if self.varying else len(prompt.blocks)
        """How many blocks all rows share."""
        self.shared_json = JSON_JOIN.join(map(block_json, prompt.blocks[: self.shared]))
        self.key = derive_cache_key(prompt).encode()
        self.templates: dict[tuple[bool, ...], Template | None] = {}

    def find_key(self, prompt: Prompt) -> bytes:
        """The provider's cache key: that of the first row, as long as it does not vary."""
        return self.key if min(self.stable, default=0) <= self.shared else derive_cache_key(prompt).encode()

    def join_blocks(self, prompt: Prompt, first: int, last: int) -> bytes:
        """The text of blocks as JSON, with the blank line before it."""
        if first == 0 and 0 < self.shared <= last:
            return JSON_JOIN.join([self.shared_json, *map(block_json, prompt.blocks[self.shared : last])])
        return (JSON_JOIN if first else b"") + JSON_JOIN.join(map(block_json, prompt.blocks[first:last]))


class RequestWriter:
    """Writes the lines of one batch."""

    def __init__(
        self, provider: str, model: str | None, models: TableForm, settings: Mapping[str, Any], base: Prompt
    ) -> None:
        """Write the lines of one provider's batch; `base` is the prompt whose tools all rows share."""
        self.batch = BATCH_FORMS[provider]
        self.model, self.models, self.settings, self.counter = model, models, settings, base.counter
        self.facts = facts_for(self.batch.form, model or ANY_MODEL, models)
        self.tools = base.state.tools
        inputs, _ = self._request(base, "", None)
        self.tools_tokens = self._count_tools(inputs)

    def write(self, prompt: Prompt, message: str, identity: str, shape: Shape) -> tuple[bytes, int]:
        """The line of a row, with its line feed, and the tokens of its tools: a row may have its own."""
        template = self._find_template(prompt, shape) if message.strip() else None
        if template is None:
            inputs, sent = self._request(prompt, message, None)
            tokens = self.tools_tokens if prompt.state.tools is self.tools else self._count_tools(inputs)
            return wrap_request(self.batch.form, identity, sent.body, self.settings), tokens
        line = [template.literals[0]]
        for name, literal in zip(template.names, template.literals[1:], strict=True):
            if name in template.pieces:
                line.append(shape.join_blocks(prompt, *template.pieces[name]))
            elif name == "sections":
                line.append(JSON_JOIN.join(map(block_json, prompt.messages)))
            elif name == "key":
                line.append(shape.find_key(prompt))
            else:
                line.append(msgspec.json.encode(identity if name == "id" else message)[1:-1])
            line.append(literal)
        return b"".join(line), self.tools_tokens

    def _count_tools(self, inputs: RequestInput) -> int:
        return self.counter(tools_text(inputs.tools)) if inputs.tools else 0

    def _request(self, prompt: Prompt, message: str, key: str | None) -> tuple[RequestInput, ProviderRequest]:
        """One row's request, written in full by the provider's module."""
        messages = [Message("user", message)] if message else []
        tools = order_tools(list_native_tools(prompt), prompt.recipe) if self.batch.tools else ()
        return request(
            self.batch.form, prompt, messages, tools,
            model=self.model, cache_key=key, models=self.models, count=self.counter,
        )  # fmt: skip

    def _find_template(self, prompt: Prompt, shape: Shape) -> Template | None:
        """The template of a batch line for requests of this shape; None if it does not fit."""
        if prompt.state.tools is not self.tools:
            return None
        reached: tuple[bool, ...] = (bool(prompt.messages),)
        if self.facts.way == "marked":
            before = self.tools_tokens - self.facts.minimum
            margins = [before + sum(prompt.block_tokens[:count]) for count in shape.stable]
            if any(abs(margin) <= MARGIN_TOKENS for margin in margins):
                return None
            reached += tuple([margin > 0 for margin in margins])
        if reached not in shape.templates:
            shape.templates[reached] = self._make_template(prompt)
        return shape.templates[reached]

    def _make_template(self, prompt: Prompt) -> Template | None:
        """A batch line with slots for the texts that differ from row to row."""
        inputs, written = self._request(prompt, SLOT.format("message"), SLOT.format("key"))
        ends = [end for _, end in list_block_ends(prompt)]
        marks = inputs.marks.system if len(written.system) > 1 else ()
        cuts = list(dict.fromkeys((0, *(ends.index(mark) + 1 for mark in marks), len(ends))))
        pieces = {f"piece{first}": (first, last) for first, last in pairwise(cuts)}
        for name, path in zip(pieces, written.system, strict=True):
            put_value(written.body, path, SLOT.format(name))
        if prompt.messages:
            put_value(written.body, written.sections, SLOT.format("sections"))
        split = SLOTS.split(wrap_request(self.batch.form, SLOT.format("id"), written.body, self.settings))
        names = [name.decode() for name in split[1::2]]
        if sorted(names) != sorted({*names, *pieces, "id", "message"}):
            return None  # the message and the sections are one text, or a text looks like a slot
        return Template(split[::2], names, pieces)


def block_json(block: Block) -> bytes:
    """The text of a block as JSON, without its quotes; cached on the block, which later prompts share."""
    encoded: bytes | None = block.__dict__.get("json")
    if encoded is None:
        encoded = block.__dict__["json"] = msgspec.json.encode(block.text)[1:-1]
    return encoded
