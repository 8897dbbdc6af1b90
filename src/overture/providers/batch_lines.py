"""One line of a provider's batch file for each row."""

from collections.abc import Mapping
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
from .write.cache_plan_and_manifest import ProviderRequest, RequestInput, list_block_ends
from .write.tools import order_tools, tools_text


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


class Shape:
    """What the requests of the same sections share."""

    def __init__(self, prompt: Prompt, varying: frozenset[Section]) -> None:
        """`varying` are the sections that differ from row to row."""
        ends = {end: count for count, (_, end) in enumerate(list_block_ends(prompt), 1)}
        reached = find_stable_ends(list_block_ends(prompt))
        self.stable = [ends[end] for pace, end in reached.items() if pace != "turn"]
        """How many blocks are static, and how many last a session: where a request may set its marks."""
        self.varying = [index for index, block in enumerate(prompt.blocks) if block.section in varying]
        self.shared = self.varying[0] if self.varying else len(prompt.blocks)
        """How many blocks all rows share."""
        self.tokens = prompt.block_tokens


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
        inputs, _ = self._request(base, "")
        self.tools_tokens = self._count_tools(inputs)

    def write(self, prompt: Prompt, message: str, identity: str) -> tuple[bytes, int]:
        """The line of a row, with its line feed, and the tokens of its tools: a row may have its own."""
        inputs, sent = self._request(prompt, message)
        tokens = self.tools_tokens if prompt.state.tools is self.tools else self._count_tools(inputs)
        return wrap_request(self.batch.form, identity, sent.body, self.settings), tokens

    def _count_tools(self, inputs: RequestInput) -> int:
        return self.counter(tools_text(inputs.tools)) if inputs.tools else 0

    def _request(self, prompt: Prompt, message: str) -> tuple[RequestInput, ProviderRequest]:
        """One row's request, written by the provider's module."""
        messages = [Message("user", message)] if message else []
        tools = order_tools(list_native_tools(prompt), prompt.recipe) if self.batch.tools else ()
        return request(
            self.batch.form, prompt, messages, tools, model=self.model, models=self.models, count=self.counter
        )


def block_json(block: Block) -> bytes:
    """The text of a block as JSON, without its quotes; cached on the block, which later prompts share."""
    encoded: bytes | None = block.__dict__.get("json")
    if encoded is None:
        encoded = block.__dict__["json"] = msgspec.json.encode(block.text)[1:-1]
    return encoded
