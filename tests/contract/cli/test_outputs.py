"""The outputs that people see most, whole: a change of a word shows in outputs/NAME.txt and is reviewed there.

`pytest tests/contract/cli/test_outputs.py --snapshot-update` writes them again. Counts that depend on the folder of
the test are compared as in the pages of the docs.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.cli.forked import run_line

from ..test_docs import counted, shown

OUTPUTS = Path(__file__).with_name("outputs")
SAMPLES = Path(__file__).parents[1] / "tap/log_formats/samples"
HARBOR = Path(__file__).parents[3] / "examples/harbor"
NOW = "--now 2026-03-07T08:55:05-06:00"
COMMANDS = {
    "summary": "overture",
    "summary-empty": "cd ../../../empty && HOME=. overture",
    "help": "overture --help",
    "agents": "overture agents",
    "agents-codex": "overture agents codex",
    "agents-files": "overture agents --files",
    "agents-why": "overture agents --why AGENTS.md",
    "check": "overture check",
    "build": f"overture build opal {NOW} --budget 300",
    "explain": f"overture explain {NOW}",
    "explain-why": f"overture explain {NOW} --why ../../CLAUDE.md",
    "context": f"overture context {NOW} --model claude-opus-5",
    "diff": f"overture diff Ada.json Bob.json {NOW}",
    "lock": "overture lock house codex",
    "lock-check": "overture lock --check",
    "trust": "overture trust",
    "recipes": "overture recipes",
    "tap-empty": "overture tap list",
    "tap-import": "overture tap import mitmproxy.har",
    "tap-list": "overture tap list --since all",
    "tap-report": "overture tap report --since all",
    "tap-show": "overture tap show",
    "tap-diff": "overture tap diff 58 df",
    "error-recipe": "overture build hous",
    "error-option": "overture build --bugdet 5",
    "error-file": "overture explain --why nofile.md",
    "error-budget": "overture build house --budget 5",
}
"""In this order: the lock is checked after it was written, and calls are shown after they were imported."""


def test_outputs_are_as_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Each of the most used commands prints what its file shows, in the example project, 80 columns wide."""
    folder = tmp_path.resolve()
    shutil.copytree(HARBOR, folder / "harbor")
    subprocess.run(["git", "init", "-q", folder / "harbor"], check=True)
    (folder / "empty/.git").mkdir(parents=True)
    environment = {"HOME": str(folder / "harbor/home"), "XDG_DATA_HOME": str(folder / "data"), "TZ": "UTC"}
    for name, value in {**environment, "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    cwd = folder / "harbor/services/berths"
    shutil.copy(SAMPLES / "mitmproxy.har", cwd)
    for name in ("Ada", "Bob"):
        (cwd / f"{name}.json").write_text(f'{{"agent": {{"name": "{name}", "system_prompt": "You are {name}."}}}}')
    printed = {name: f"$ {line}\n{shown(run_line(line, cwd), folder)}" for name, line in COMMANDS.items()}
    if request.config.getoption("--snapshot-update"):
        for name, text in printed.items():
            (OUTPUTS / f"{name}.txt").write_text(text, "utf-8")
    expected = {path.stem: path.read_text("utf-8") for path in sorted(OUTPUTS.glob("*.txt"))}
    assert {name: _hide_counts(text) for name, text in printed.items()} == {
        name: _hide_counts(text) for name, text in expected.items()
    }


def _hide_counts(text: str) -> str:
    """The text without what depends on the length of the folder's name: counts, bytes, shares, prices and bars."""
    text = re.sub(r"[█▉▊▋▌▍▎▏▓▒·]+", "#", counted(text))
    return re.sub(r"\$?\d[\d,.]*(?: ?%)?", "N", text)
