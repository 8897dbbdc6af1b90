"""Prompt is the immutable result: every character of its text has one source. It can be saved and read back."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import replace

from ...errors import StateError
from ...lazy import lazy
from ...text.normalize import count_noun
from ...tokens.counter import ESTIMATE, Counter, CounterSource, CountFunction, as_counter, resolve_counter, share_out
from ..diagnostic import Diagnostic
from ..message import Held
from ..recipe.body import Body
from ..recipe.recipe import Recipe
from ..recipe.section import Pace, Section, SectionPlace
from ..safe_text import trust_saved_text
from ..source import Source, Tier
from ..state.state import FIELDS, State
from ..struct import as_json
from ..tool.tool_forms import report_tools
from .block import JOIN, Block, Cut, Omission, Span, Trim, block_tokens, find_own_cuts
from .budget import Budget
from .saved import SavedBlock, SavedCut, SavedMessage, SavedOmission, SavedPart, SavedPrompt, Tokens, digest_fields
from .tier_of_source import SourceTiers, report_fences


class FitResult(Struct, frozen=True, eq=False):
    """What a budget did to a prompt."""

    budget: Budget
    whole: "Prompt"
    """The prompt before it was cut."""
    trims: dict[str, Trim]
    """By section: only those that were cut."""


class Prompt(Struct, frozen=True, dict=True, eq=False):
    """A recipe's words for a State. Made by `build`; the same inputs give the same bytes."""

    recipe: Recipe
    state: State
    results: tuple[Block | Omission, ...]
    """One for each section of the recipe, in its order."""
    found: tuple[Diagnostic, ...] = ()
    """What was found wrong while the State was discovered."""
    counting: CounterSource = ESTIMATE
    """What its tokens are counted with, or what finds it."""
    fitted: FitResult | None = None
    """What a budget did to it."""
    edits: tuple[str, ...] = ()
    """What hooks did to it after it was built, e.g. `audit: append`. Such a prompt is for one turn."""
    held: tuple[Held, ...] = ()
    """Sections whose newer text is sent in a message, so that the earlier bytes stay."""

    def __repr__(self) -> str:
        """`<Prompt of opal: 6 blocks, 4,321 characters>`."""
        blocks, chars = count_noun(len(self.blocks), "block"), count_noun(len(self.text), "character")
        return f"<Prompt of {self.recipe.name}: {blocks}, {chars}>"

    @lazy
    def blocks(self) -> tuple[Block, ...]:
        """What the system prompt is made of, in order."""
        return tuple([r for r in self.results if isinstance(r, Block) and r.section.place == "system"])

    @lazy
    def messages(self) -> tuple[Block, ...]:
        """What goes into the user's message instead of the system prompt."""
        return tuple([r for r in self.results if isinstance(r, Block) and r.section.place == "user"])

    @lazy
    def omitted(self) -> tuple[Omission, ...]:
        """The sections that were skipped, or only partly rendered, each with its reason."""
        omitted: list[Omission] = []
        for result in self.results:
            if isinstance(result, Omission):
                omitted.append(result)
            else:
                omitted += [Omission(result.section, reason) for reason in result.omits]
        return tuple(omitted)

    @lazy
    def text(self) -> str:
        """The system prompt."""
        return JOIN.join([block.text for block in self.blocks])

    @lazy
    def counter(self) -> Counter:
        """What its tokens are counted with. A tokenizer is loaded here, when it is first asked for."""
        return resolve_counter(self.counting)

    @lazy
    def tokens(self) -> int:
        """How many tokens the text has, by the prompt's counter."""
        return sum(self.block_tokens)

    @lazy
    def block_tokens(self) -> tuple[int, ...]:
        """The tokens of each block, with the blank line that follows it."""
        return tuple(block_tokens(self.blocks, self.counter))

    def know_tokens(self, block_tokens: tuple[int, ...]) -> None:
        """Take over the tokens of its blocks, where they are known from prompts that share most of them."""
        self.__dict__["block_tokens"] = block_tokens

    @lazy
    def counted_blocks(self) -> tuple[tuple[Block, int], ...]:
        """Every block with its tokens: those of the system prompt, then those of the user's message."""
        later = [(block, block.tokens(self.counter)) for block in self.messages]
        return (*zip(self.blocks, self.block_tokens, strict=True), *later)

    def count_spans(self, block: Block, tokens: int) -> Iterator[tuple[Span, int]]:
        """The spans of a block with their tokens, which add up to the block's.

        The text of a file has the tokens that it has alone, whatever the recipe; other words share the rest.
        """
        counts = [self.counter.by_lines(block.text[span.start : span.end]) for span in block.spans]
        others = [index for index, span in enumerate(block.spans) if self.resolved(span.source).kind != "file"]
        rest = tokens - sum(counts) + sum(counts[index] for index in others)
        if rest < 0 or not others:
            counts = share_out(tokens, counts)
        else:
            for index, count in zip(others, share_out(rest, [counts[index] for index in others]), strict=True):
                counts[index] = count
        return zip(block.spans, counts, strict=True)

    @lazy
    def cuts(self) -> tuple[Cut, ...]:
        """What is not said in full: cut by a limit of the recipe's own, or to meet a budget."""
        fitted = self.fitted
        cuts = [cut for trim in fitted.trims.values() for cut in trim.cuts()] if fitted else []
        known = {(cut.block, cut.part) for cut in cuts}
        own = (cut for block in (fitted.whole if fitted else self).blocks for cut in find_own_cuts(block, self.counter))
        return (*(cut for cut in own if known.isdisjoint(((cut.block, cut.part), (cut.block, "")))), *cuts)

    def counted(self, counter: CountFunction) -> "Prompt":
        """The same prompt, counted with another counter, or with any function from text to a whole number."""
        # One that is not loaded yet is not loaded to be compared.
        own = self.__dict__.get("counter", self.counting)
        return self if counter is own else structs.replace(self, counting=as_counter(counter))

    @lazy
    def fingerprint(self) -> str:
        """`sha256:…` of the text."""
        import hashlib

        return "sha256:" + hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @lazy
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that is wrong, in files and in what was made of them."""
        # Two sections may miss the same thing, as the day and the clock do, and what was reported when a file was read
        # need not be said again by the section that says it: each is said once.
        found = frozenset(self.found)
        results_notes = dict.fromkeys(note for result in self.results for note in result.notes if note not in found)
        return (*self.found, *report_tools(self.state.tools), *report_fences(self.recipe, self.state), *results_notes)

    @lazy
    def placed(self) -> tuple[tuple[Block, int], ...]:
        """The blocks, each with the position of its first character."""
        starts = accumulate((len(block.text) + len(JOIN) for block in self.blocks), initial=0)
        return tuple(zip(self.blocks, starts, strict=False))

    @lazy
    def spans(self) -> tuple[Span, ...]:
        """A partition of `text`: every character in exactly one span."""
        return tuple(Span(s.start, s.end, self.resolved(s.source)) for s in self._said)

    @lazy
    def _said(self) -> tuple[Span, ...]:
        """The same, with the sources that the sections gave."""
        recipe = Source("recipe", name=self.recipe.name)
        spans: list[Span] = []
        for block, at in self.placed:
            if at:
                spans.append(Span(at - len(JOIN), at, recipe))
            spans += [Span(at + s.start, at + s.end, s.source) for s in block.spans]
        return tuple(spans)

    def source_at(self, index: int) -> Source:
        """The source of one character; for a file, the very line that it stands on.

        A field whose source has no line is one line of its file, however many it holds: so a text in JSON.
        """
        if not 0 <= index < len(self.text):
            raise IndexError(f"Character {index} is outside the prompt, which has {len(self.text)}.")
        span = self._said[bisect_right(self._said, index, key=lambda s: s.start) - 1]
        if span.source.line is None or span.source.pinned:
            return self.resolved(span.source)
        lines = self.text.count("\n", span.start, index)
        return self.resolved(structs.replace(span.source, line=span.source.line + lines))

    def resolved(self, source: Source) -> Source:
        """A field of the state that was read from a file counts as that file."""
        origin = self.state.origins.get(source.name or "") if source.kind == "state" else None
        if origin is None:
            return source
        return Source("file", origin.path, origin.line + (source.line or 1) - 1)

    def told(self, source: Source) -> tuple[Source, Tier]:
        """The source as it is written down, with the file that gave a field; and who gave the text."""
        known = self.resolved(source)
        return structs.replace(known, tier=None) if known.tier else known, self.tiers.of(source)

    @lazy
    def tiers(self) -> SourceTiers:
        """Who gave what, by its source."""
        return SourceTiers(self.recipe, self.state)

    @lazy
    def inputs(self) -> dict[str, str]:
        """A digest of each field of State, by which two prompts can be told apart."""
        return digest_fields(self.state)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, as `overture build --format json` prints it."""
        return as_json(self.saved)

    @lazy
    def saved(self) -> SavedPrompt:
        """All that is known about the prompt, written down."""
        starts = (at for _, at in self.placed)
        return SavedPrompt(
            recipe=self.recipe.name,
            text=self.text,
            fingerprint=self.fingerprint,
            chars=len(self.text),
            tokens=Tokens(self.tokens, self.counter.name, exact=self.counter.exact),
            blocks=tuple(self._saved_block(*row) for row in zip(self.blocks, starts, self.block_tokens, strict=True)),
            messages=tuple(SavedMessage(m.name, m.text) for m in self.messages),
            omitted=tuple(SavedOmission(o.name, o.reason) for o in self.omitted),
            cuts=tuple(SavedCut(c.block, c.part, c.from_tokens, c.to_tokens, c.how) for c in self.cuts),
            diagnostics=self.diagnostics,
            inputs=self.inputs,
            edits=self.edits,
            held=self.held,
        )

    def _saved_block(self, block: Block, at: int, tokens: int) -> SavedBlock:
        cut = {c.source: c.how for c in self.cuts if c.block == block.name and c.source is not None}
        parts = tuple(
            SavedPart(at + s.start, at + s.end, count, *self.told(s.source), cut.get(s.source))
            for s, count in self.count_spans(block, tokens)
        )
        return SavedBlock(block.name, at, at + len(block.text), block.pace, tokens, block.reads, parts)


# A saved prompt -> a Prompt again, made of what was written down and of nothing else.


def restore_prompt(saved: SavedPrompt) -> Prompt:
    """The prompt, with its blocks, sources and reasons. Its state, and so its tools, nobody wrote down."""
    partial: dict[str, list[str]] = {}
    for omission in saved.omitted:
        partial.setdefault(omission.name, []).append(omission.reason)
    blocks = [_restore_block(block, saved.text, tuple(partial.pop(block.name, ()))) for block in saved.blocks]
    own = Source("recipe", name=saved.recipe)
    omissions = [
        Block(_restore_section(each.name, place="user"), (trust_saved_text(each.text),), (own,))
        for each in saved.messages
    ]
    silent = [Omission(_restore_section(name), "; ".join(reasons)) for name, reasons in partial.items()]
    results: tuple[Block | Omission, ...] = (*blocks, *omissions, *silent)
    recipe = Recipe(saved.recipe, tuple(result.section for result in results))
    prompt = Prompt(recipe, State(), results, saved.diagnostics, edits=saved.edits, held=saved.held)
    if prompt.text != saved.text:
        raise StateError("its blocks do not add up to its text; save it again with `overture build --format json`.")
    return prompt


def _restore_block(block: SavedBlock, text: str, omits: tuple[str, ...]) -> Block:
    parts = block.parts
    if any(a.end != b.start for a, b in pairwise(parts)):
        raise StateError(f"the parts of block {block.name!r} are not contiguous.")
    texts = tuple(trust_saved_text(text[part.start : part.end]) for part in parts)
    section = _restore_section(block.name, block.pace, tuple(name for name in block.reads if name in FIELDS))
    return Block(section, texts, tuple(replace(part.source, tier=part.tier) for part in parts), omits=omits)


def _restore_section(
    name: str, pace: Pace = "session", reads: tuple[str, ...] = (), place: SectionPlace = "system"
) -> Section:
    return Section(name, _silent_body(reads), pace, place=place)


def _silent_body(reads: tuple[str, ...]) -> Callable[..., Body]:
    """A body that says nothing more: the block has its text already."""

    def say(*_: object) -> Body:
        return None

    say.reads = reads  # type: ignore[attr-defined]
    return say
