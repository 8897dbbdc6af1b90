"""Aider: only the instruction files that `read:` in .aider.conf.yml names."""

from .kit import *

FACTS = AgentFacts(
    title="Aider", version="0.86.2", checked=date(2026, 11, 16), known="run",
    evidence="Seen in runs; the rest from its source.",
    own=OwnPrompt(characters=1155, tools=0, tool_characters=0, messages=1235),
    signs=Signs(project=(".aider.conf.yml", ".aiderignore", ".aider.chat.history.md"),
        home=(".aider.conf.yml", ".aider"), programs=("aider",)), owns={"CONVENTIONS.md": "Aider"},
    shows="/tokens, /ls",
    notes=(
        "It does not load AGENTS.md or CONVENTIONS.md by itself; their names appear in its repository map.",
        "The size of its messages was measured in a run with files, so it includes the repository map.",
        "`--read FILE` adds a file to one run.",
        "It loads every file of a folder that `read:` names; here only files are supported.",
    ),
)  # fmt: skip

PROGRAM = {
    "packages": ("aider-chat",), "ways": ("base", "proxy"),
    "set": {"OPENAI_API_BASE": "$OPENAI", "OPENAI_BASE_URL": "$OPENAI", "ANTHROPIC_API_BASE": "$ANTHROPIC",
        "ANTHROPIC_BASE_URL": "$ANTHROPIC", "OLLAMA_API_BASE": "$OLLAMA"},
}  # fmt: skip

CONFIGURED = Step("configured", (), known="code")
HOME_OR_ROOT = Settings(("~/.aider.conf.yml", ".aider.conf.yml"), where="root", replaces={"read": "configured"})
HERE = Settings((".aider.conf.yml",), replaces={"read": "configured"})
EVERYWHERE = Settings(("~/.aider.conf.yml", ".aider.conf.yml"), where="walk", unmodelled=("file", "load"))
VARIABLES = ("AIDER_READ", "AIDER_FILE", "AIDER_LOAD")


def files(look: Look) -> Iterator[Found]:
    """What `read:` names: in the working directory's settings, else in those of the repository's root, else of home."""
    names = look.names("read", HOME_OR_ROOT, HERE, last=True)
    yield from look.each(CONFIGURED, [look.cwd], names or ())


SECTIONS = (
    AgentSection("instructions", place="user", files=("configured",), each="{{ path }}\n```\n{{ text }}\n```"),
)  # fmt: skip
