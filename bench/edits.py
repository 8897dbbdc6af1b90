"""An hour's worth of edits before a page that is open: `make bench`. One a second would be 3,600.

A copy of the example project is edited again and again, a skill comes and goes, and after each edit the page shows a
new turn, which a browser would ask for. Memory is read after the history is full, and again and again after that.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from overture.discover.load_tokenizer import find_counter
from overture.known_models.models_table import packaged_table
from overture.session.session import Session
from overture.web.page.history import MAX_TURNS
from overture.web.page.live_page import LivePage
from overture.web.page.page_routes import difference

HARBOR = Path(__file__).parents[1] / "examples" / "harbor"
EDITS = 3_600


def megabytes() -> float:
    """What this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def edit(root: Path, number: int) -> list[str]:
    """One edit; every tenth adds a skill or takes it away."""
    notes = root / "AGENTS.md"
    if number % 10:
        notes.write_text(f"# Harbor\n\nThe tide table was read {number} times.\n" + "- Ask the quay.\n" * (number % 40))
        return [str(notes)]
    skill = root / ".agents" / "skills" / "soundings"
    if skill.is_dir():
        shutil.rmtree(skill)
    else:
        skill.mkdir(parents=True)
        (skill / "SKILL.md").write_text(f"---\nname: soundings\ndescription: Sounding number {number}.\n---\nSound.\n")
    return [str(skill), str(skill / "SKILL.md")]


def main() -> None:
    """Edit, and print what memory does."""
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else EDITS
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "harbor"
        shutil.copytree(HARBOR, root)
        session = Session("house", cwd=root, home=root / "home", root=root, count=find_counter())
        live = LivePage(session, packaged_table())
        live.rebuild()
        start, first, most = time.perf_counter(), 0.0, 0.0
        for number in range(1, edits + 1):
            session.refresh(*edit(root, number))
            live.rebuild()
            msgspec.json.encode(live.history.sheet)
            if number % 50 == 0:
                msgspec.json.encode(difference(live.history, live.models, None, None))
            if number == 2 * MAX_TURNS:
                first = megabytes()
            most = max(most, megabytes())
        each = (time.perf_counter() - start) / edits * 1000
        turns = f"{len(live.history.rows)} turns kept of {live.history.next - 1:,}"
        print(f"{edits:,} edits, {turns}: {each:.1f} ms each")
        after = f"{first:.0f} MB after {2 * MAX_TURNS} edits"
        print(f"memory: {after}, {megabytes():.0f} MB at the end, {most:.0f} MB at most")


if __name__ == "__main__":
    main()
