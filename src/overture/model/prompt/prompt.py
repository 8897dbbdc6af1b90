"""Prompt is the immutable result: every character of its text has one source."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from ...lazy import lazy
from ...text.words import count_noun
from ...tokens.counter import ESTIMATE, Counter, CounterSource, CountFunction, as_counter, resolve_counter, share_out
from ..diagnostic import Diagnostic
from ..recipe.recipe import Recipe
from ..source import Source, Tier
from ..source_tiers import SourceTiers
from ..state.state import State
from ..struct import as_json
from .block import JOIN, Block, Cut, Omission, Span, Trim, block_tokens, find_own_cuts
from .budget import Budget

if TYPE_CHECKING:
    from .saved_prompt import SavedBlock, SavedPrompt


class FitResult(Struct, frozen=True, eq=False):
    """The effect of a budget on a prompt."""

    budget: Budget
    whole: "Prompt"
    """The prompt before it was cut."""
    trims: dict[str, Trim]
    """By section: only those that were cut."""


class Prompt(Struct, frozen=True, dict=True, eq=False):
    """A built prompt: its text, and the source of every character. The same inputs give the same bytes."""

    recipe: Recipe
    state: State
    results: tuple[Block | Omission, ...]
    """One for each section of the recipe, in its order."""
    found: tuple[Diagnostic, ...] = ()
    """Problems that discovery found."""
    counting: CounterSource = ESTIMATE
    """Its token counter, or a function that returns one."""
    fitted: FitResult | None = None
    """What was cut to fit a budget; None: no budget."""
    edits: tuple[str, ...] = ()
    """Edits by hooks after it was built, e.g. `audit: append`. Such a prompt is for one turn."""
    fields: Mapping[str, Any] = {}
    """What the fields of the state held when it was built, as `encode_fields` gives it."""

    def __repr__(self) -> str:
        """`<Prompt of opal: 6 blocks, 4,321 characters>`."""
        blocks, chars = count_noun(len(self.blocks), "block"), count_noun(len(self.text), "character")
        return f"<Prompt of {self.recipe.name}: {blocks}, {chars}>"

    @lazy
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the system prompt, in order."""
        return tuple([block for block in self._all_blocks if block.section.place == "system"])

    @lazy
    def messages(self) -> tuple[Block, ...]:
        """The blocks that go into the user's message instead of the system prompt."""
        return tuple([block for block in self._all_blocks if block.section.place == "user"])

    @lazy
    def _all_blocks(self) -> tuple[Block, ...]:
        return tuple([result for result in self.results if isinstance(result, Block)])

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
        """The text of the system prompt."""
        return JOIN.join([block.text for block in self.blocks])

    @lazy
    def counter(self) -> Counter:
        """Its token counter. Loads a tokenizer on first use."""
        return resolve_counter(self.counting)

    @lazy
    def tokens(self) -> int:
        """The number of tokens of the text, by the prompt's counter."""
        return sum(self.block_tokens)

    @lazy
    def block_tokens(self) -> tuple[int, ...]:
        """The tokens of each block, with the blank line that follows it."""
        return tuple(block_tokens(self.blocks, self.counter))

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
        """Parts that were shortened or dropped, by the recipe's own limits or to fit a budget."""
        fitted = self.fitted
        cuts = [cut for trim in fitted.trims.values() for cut in trim.cuts()] if fitted else []
        known = {(cut.block, cut.part) for cut in cuts}
        own = (cut for block in (fitted.whole if fitted else self).blocks for cut in find_own_cuts(block, self.counter))
        return (*(cut for cut in own if known.isdisjoint(((cut.block, cut.part), (cut.block, "")))), *cuts)

    def counted(self, counter: CountFunction) -> "Prompt":
        """The same prompt with another counter: a `Counter`, or any function from a text to a number."""
        # One that is not loaded yet is not loaded to be compared.
        own = self.__dict__.get("counter", self.counting)
        return self if counter is own else structs.replace(self, counting=as_counter(counter))

    @lazy
    def fingerprint(self) -> str:
        """The SHA-256 digest of the text, as `sha256:…`."""
        import hashlib

        return "sha256:" + hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @lazy
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All problems: in files, tools and sections."""
        from ..tool import report_tools

        # Two sections may lack the same thing, as the day and the clock do. A section also repeats the reports of
        # the file that it renders: each report is kept once.
        known = frozenset(self.found)
        results_notes = dict.fromkeys(note for result in self.results for note in result.notes if note not in known)
        return (*self.found, *report_tools(self.state.tools), *results_notes)

    @lazy
    def placed(self) -> tuple[tuple[Block, int], ...]:
        """Each block with the position of its first character in `text`."""
        starts = accumulate((len(block.text) + len(JOIN) for block in self.blocks), initial=0)
        return tuple(zip(self.blocks, starts, strict=False))

    @lazy
    def spans(self) -> tuple[Span, ...]:
        """A partition of `text`: every character in exactly one span."""
        return tuple(Span(s.start, s.end, self.resolved(s.source)) for s in self._section_spans)

    @lazy
    def _section_spans(self) -> tuple[Span, ...]:
        """The spans of this prompt's text, with the sources that the sections set."""
        recipe = Source("recipe", name=self.recipe.name)
        spans: list[Span] = []
        for block, at in self.placed:
            if at:
                spans.append(Span(at - len(JOIN), at, recipe))
            spans += [Span(at + s.start, at + s.end, s.source) for s in block.spans]
        return tuple(spans)

    def source_at(self, index: int) -> Source:
        """The source of one character: `prompt.source_at(prompt.text.index("npm"))`. For a file, with its line.

        A multi-line text inside JSON has only the line at which it begins.
        """
        if not 0 <= index < len(self.text):
            raise IndexError(f"Character {index} is outside the prompt, which has {len(self.text)}.")
        span = self._section_spans[bisect_right(self._section_spans, index, key=lambda s: s.start) - 1]
        if span.source.line is None or span.source.pinned:
            return self.resolved(span.source)
        lines = self.text.count("\n", span.start, index)
        return self.resolved(structs.replace(span.source, line=span.source.line + lines))

    def resolved(self, source: Source) -> Source:
        """The file that a field of the state was read from; other sources are returned unchanged."""
        origin = self.state.origins.get(source.name or "") if source.kind == "state" else None
        if origin is None:
            return source
        return Source("file", origin.path, origin.line + (source.line or 1) - 1)

    def describe_source(self, source: Source) -> tuple[Source, Tier]:
        """The source in its saved form, and the tier of its text."""
        known = self.resolved(source)
        return structs.replace(known, tier=None) if known.tier else known, self.tiers.of(source)

    @lazy
    def tiers(self) -> SourceTiers:
        """Who supplied each text, by its source."""
        return SourceTiers(self.recipe, self.state)

    @lazy
    def inputs(self) -> dict[str, str]:
        """A digest of each field of the State, to compare the inputs of two prompts."""
        from .saved_prompt import digest_fields

        return digest_fields(self.state)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, as `overture build --format json` prints it."""
        return as_json(self.saved)

    @lazy
    def saved(self) -> "SavedPrompt":
        """The prompt as plain data, for saving: `SavedPrompt`."""
        from .saved_prompt import SavedCut, SavedMessage, SavedOmission, SavedPrompt, Tokens

        starts = (at for _, at in self.placed)
        return SavedPrompt(
            recipe=self.recipe.name,
            text=self.text,
            fingerprint=self.fingerprint,
            chars=len(self.text),
            tokens=Tokens(self.tokens, self.counter.name, exact=self.counter.exact),
            blocks=tuple(
                self._make_saved_block(*row) for row in zip(self.blocks, starts, self.block_tokens, strict=True)
            ),
            messages=tuple(SavedMessage(m.name, m.text) for m in self.messages),
            omitted=tuple(SavedOmission(o.name, o.reason) for o in self.omitted),
            cuts=tuple(SavedCut(c.block, c.part, c.from_tokens, c.to_tokens, c.how) for c in self.cuts),
            diagnostics=self.diagnostics,
            inputs=self.inputs,
            edits=self.edits,
        )

    def _make_saved_block(self, block: Block, at: int, tokens: int) -> "SavedBlock":
        from .saved_prompt import SavedBlock, SavedPart

        cut = {c.source: c.how for c in self.cuts if c.block == block.name and c.source is not None}
        parts = tuple(
            SavedPart(at + s.start, at + s.end, count, *self.describe_source(s.source), cut.get(s.source))
            for s, count in self.count_spans(block, tokens)
        )
        return SavedBlock(block.name, at, at + len(block.text), block.pace, tokens, block.reads, parts)
