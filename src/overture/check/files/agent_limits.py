"""How much of a file known agents take: seen in a run, read in their source, or only said in their documentation."""

from typing import Literal, NamedTuple

Proof = Literal["run", "code", "docs"]
Unit = Literal["bytes", "characters"]


class Limit(NamedTuple):
    """What one agent takes of a file, or of several together."""

    agent: str
    proof: Proof
    unit: Unit
    most: int
    names: tuple[str, ...]
    """Paths below a folder of the project, with `*` for a name."""
    beyond: str
    """What becomes of the rest, in words."""
    together: Literal["", "root first", "nearest first"] = ""
    """Whether all such files share the limit, and which of them is served first."""
    one_each: bool = False
    """Whether only the first of these names counts in a folder."""


LIMITS = (
    Limit(
        "Codex CLI 0.166",
        "run",
        "bytes",
        32_768,
        ("AGENTS.override.md", "AGENTS.md"),
        "cuts here, in silence; `project_doc_max_bytes` in its config.toml allows more",
        "root first",
        one_each=True,
    ),
    Limit(
        "Factory droid 0.225",
        "run",
        "characters",
        80_000,
        ("CLAUDE.md", "AGENTS.md"),
        "cuts here",
        "nearest first",
    ),
    Limit(
        "gptme 0.35",
        "run",
        "characters",
        100_000,
        ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules", ".windsurfrules"),
        "cuts here",
    ),
    Limit("Goose", "code", "bytes", 131_072, (".goosehints", "AGENTS.md"), "follows no `@` import of a larger file"),
    Limit("Zed", "code", "bytes", 102_400, ("skills/*/SKILL.md",), "does not load a larger skill"),
    Limit(
        "Devin Desktop (Windsurf)",
        "docs",
        "characters",
        12_000,
        (".windsurf/rules/*.md", ".devin/rules/*.md"),
        "takes no more of a rule, by its documentation",
    ),
    Limit(
        "Antigravity",
        "docs",
        "characters",
        12_000,
        (".agents/rules/*.md", ".agent/rules/*.md"),
        "takes no more of a rule, by what is said of it",
    ),
)
