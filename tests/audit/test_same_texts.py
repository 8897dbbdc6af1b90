"""Files of the same bytes are looked at once: in all repositories, by all processes, and by the next audit."""

import hashlib
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.contract.cli.run import OVERTURE
from tests.contract.discover.repository import Repo

from .fleet import PAGE, make_repository

pytestmark = pytest.mark.slow


TRACER = """
import hashlib, os, sys
LOOKS = {
    ("scan_for_marks.py", "scan"): "text", ("mentioned_files.py", "_find_mentions"): "page",
    ("override_phrases.py", "_find_phrases_of_text"): "text", ("load_tokenizer.py", "count_anew"): "text",
    ("similar_texts.py", "make_sketch"): "text",
}
handle = os.open(os.environ["LOOKS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def note(frame, event, _):
    if event == "call":
        code = frame.f_code
        name = LOOKS.get((os.path.basename(code.co_filename), code.co_name))
        if name in frame.f_locals:
            text = getattr(frame.f_locals[name], "text", frame.f_locals[name])
            if len(text) >= 256:
                digest = hashlib.sha256(text.encode()).hexdigest()
                os.write(handle, f"{os.getpid()} {code.co_name} {digest}\\n".encode())

sys.setprofile(note)
"""
"""Notes each call of a function that looks at a text, in every process that Python starts."""
LOOKS = ("scan", "_find_mentions", "_find_phrases_of_text", "make_sketch")
"""Those that look at whole files; tokens are counted of pieces."""
TEMPLATE = f"# For all\n\n{PAGE}\n\nNever commit `build/`; see [the guide](docs/guide.md).\n"


def trace_audit(folder: Path) -> tuple[Counter[tuple[str, str]], set[str]]:
    """An audit of the fleet in two processes: how often each function looked at each text, and who looked."""
    (folder / "tracer").mkdir(exist_ok=True)
    (folder / "tracer/sitecustomize.py").write_text(TRACER)
    log = folder / "looks"
    log.unlink(missing_ok=True)
    environ = {**os.environ, "PYTHONPATH": str(folder / "tracer"), "LOOKS": str(log)}
    words = [str(OVERTURE), "audit", "fleet", "--out", "out", "--processes", "2"]
    subprocess.run(words, cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)
    rows = [line.split() for line in log.read_text().splitlines()]
    return Counter((name, digest) for _, name, digest in rows), {process for process, *_ in rows}


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_text_is_looked_at_once_by_all_processes_and_audits(tmp_path: Path) -> None:
    """Two processes count, scan and compare a file once between them; a new commit costs the file that changed."""
    fleet = tmp_path / "fleet"
    for number in range(24):
        own = f"# Service {number}\n\n{PAGE.replace('Rule', f'Rule {number}.')}\n"
        files = {"AGENTS.md": TEMPLATE, "docs/AGENTS.md": own, "src/main.py": f"number = {number}\n"}
        make_repository(fleet / f"r{number:02}", {**files})
    looks, processes = trace_audit(tmp_path)
    assert len(processes) >= 2
    for look in LOOKS:
        assert looks[look, digest_of(TEMPLATE)] == 1, look
    assert "count_anew" in {name for name, _ in looks}
    assert [each for each, count in looks.items() if count > 1] == []
    changed = "# Service 1, changed\n\n" + PAGE.replace("Rule", "Law")
    Repo(fleet / "r01").commit("Second", {"docs/AGENTS.md": changed})
    looks, _ = trace_audit(tmp_path)
    assert {digest for name, digest in looks if name in LOOKS[1:3]} == {digest_of(changed)}
    assert looks.keys().isdisjoint((look, digest_of(TEMPLATE)) for look in LOOKS)
