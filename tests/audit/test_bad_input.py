"""Whatever a place is, the others are audited: it has a row that says why it is not. Nothing is run or checked out."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.contract.cli.run import OVERTURE, assert_refused, run
from tests.contract.discovery.disk import link, put
from tests.contract.discovery.repository import Repo

from .fleet import audit, audit_process, list_paths, make_repository, read_row, read_table

HOSTILE = 'a\nb<img src=x onerror="alert(1)">|`'


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A folder with a repository that can be read, for others to be put beside it."""
    make_repository(tmp_path / "fleet/good")
    return tmp_path / "fleet"


def failure(fleet: Path, out: Path, name: str) -> str:
    """Why one repository can't be read, while the good one is."""
    summary = audit(fleet, out=out)
    assert read_row(out, "good")["status"] == "ok"
    problems: dict[str, str] = {each["repository"]: each["problem"] for each in summary["failed"]}
    return problems[name]


@pytest.mark.slow
def test_a_submodule_is_named_and_not_entered(good: Path, tmp_path: Path) -> None:
    """Neither in the tree, nor where it is checked out; nor is a worktree inside a checkout another repository."""
    inner = make_repository(tmp_path / "inner", {"AGENTS.md": "Inside.\n"})
    outer = make_repository(good / "outer")
    outer.git("submodule", "--quiet", "add", inner.folder, "lib")
    outer.commit("With a submodule")
    outer.git("worktree", "add", "-q", "tree")
    audit(good, out=tmp_path / "a.jsonl")
    assert read_row(tmp_path / "a.jsonl", "outer")["submodules"] == ["lib"]
    assert {row["repository"] for row in read_table(tmp_path / "a.jsonl", "repositories")} == {"good", "outer"}
    assert list_paths(tmp_path / "a.jsonl") == {"AGENTS.md"}


def test_a_repository_without_commits(good: Path, tmp_path: Path) -> None:
    """It has a row that says so."""
    Repo(good / "new")
    assert "no commit" in failure(good, tmp_path / "a.jsonl", "new")


def test_a_corrupt_pack(good: Path, tmp_path: Path) -> None:
    """The commit can't be read."""
    repo = make_repository(good / "broken", {"AGENTS.md": "Broken.\n"})
    repo.git("gc", "-q")
    [pack] = (repo.folder / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:20] + b"\xff" * 400)
    assert "git can't read it" in failure(good, tmp_path / "a.jsonl", "broken")


@pytest.mark.slow
def test_a_repository_that_cannot_be_read_is_no_clean_check(good: Path, tmp_path: Path) -> None:
    """With --fail-on the exit code is 2, also where only a part is missing; without it, a warning says so."""
    out = tmp_path / "a.jsonl"
    audit(good, "--fail-on", "secret", out=out)
    audit(good, tmp_path / "gone", out=out)
    audit(good, tmp_path / "gone", "--fail-on", "secret", out=out, code=2)
    repo = make_repository(good / "partial", {"AGENTS.md": "Use tabs.\n"})
    blob = repo.git("rev-parse", "HEAD:AGENTS.md")
    (repo.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    audit(good, "--fail-on", "secret", out=out, code=2)
    assert read_row(out, "partial")["status"] == "partial"
    assert audit(good, "--resume", out=out)["read"] == 1  # it may be there the next time


@pytest.mark.slow
def test_nothing_but_failures_is_exit_code_2(tmp_path: Path) -> None:
    """Never 0 with an empty product; without any place, nothing is written."""
    (tmp_path / "empty").mkdir()
    put(tmp_path / "plain/AGENTS.md", "Use tabs.")
    for name in ("gone", "empty", "plain"):
        audit(tmp_path / name, out=tmp_path / "a.jsonl", code=2)
    assert_refused(audit_process(out=tmp_path / "none.jsonl"))
    assert_refused(audit_process(tmp_path, out=tmp_path / "none.csv"), "not of a known form", ".parquet")
    assert_refused(run("audit", tmp_path, "--resume"), "--resume needs --out")
    assert not list(tmp_path.glob("none*"))


@pytest.mark.slow
def test_the_identity_is_the_commit(tmp_path: Path) -> None:
    """Of a checkout, a worktree, a bare clone, detached, packed: it is read once."""
    repo = make_repository(tmp_path / "p")
    repo.git("worktree", "add", "-q", "-b", "other", tmp_path / "tree")
    repo.git("clone", "-q", "--bare", repo.folder, tmp_path / "bare.git")
    repo.git("checkout", "-q", "--detach")
    repo.git("pack-refs", "--all")
    places = [tmp_path / name for name in ("p", "tree", "bare.git")]
    assert audit(*places, out=tmp_path / "a.jsonl")["read"] == 1
    rows = read_table(tmp_path / "a.jsonl", "repositories")
    assert [row["commit"] for row in rows] == [repo.git("rev-parse", "HEAD")] * 3
    assert [row["repository"] for row in rows] == ["bare", "p", "tree"]


@pytest.mark.slow
def test_a_folder_is_never_taken_for_the_repository_around_it(tmp_path: Path) -> None:
    """A `.git` without content: git would go on above."""
    outer = make_repository(tmp_path / "outer")
    (outer.folder / "inner/.git").mkdir(parents=True)
    summary = audit(outer.folder / "inner", out=tmp_path / "a.jsonl", code=2)
    assert [each["repository"] for each in summary["failed"]] == ["inner"]


@pytest.mark.slow
def test_a_folder_that_a_clone_lacks(good: Path, tmp_path: Path) -> None:
    """The repository is named with its reason: what is in that folder is not known."""
    repo = make_repository(good / "lacks", {"AGENTS.md": "Use tabs.\n", "sub/AGENTS.md": "Be kind.\n"})
    tree = repo.git("rev-parse", "HEAD:sub")
    (repo.folder / ".git/objects" / tree[:2] / tree[2:]).unlink()
    assert "does not have all of its folders" in failure(good, tmp_path / "a.jsonl", "lacks")


def test_two_runs_on_one_file(good: Path, tmp_path: Path) -> None:
    """The second is refused while the first holds it."""
    script = (
        "import sys\nfrom overture.audit.run import open_results\n"
        "with open_results(sys.argv[1], resume=False):\n    print('ready', flush=True)\n    sys.stdin.read()\n"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "a.jsonl.cache")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"ready\n"
        assert_refused(audit_process(good, out=tmp_path / "a.jsonl"), "in use by another run")
        holder.kill()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(good: Path, tmp_path: Path) -> None:
    """An error with a hint; with room again, `--resume` goes on."""
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    words = [str(OVERTURE), "audit", str(good), "--out", str(tmp_path / "a.jsonl"), "--processes", "1"]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert done.returncode == 2 and "can't be written" in done.stderr and "--resume" in done.stderr
    assert audit(good, "--resume", out=tmp_path / "a.jsonl")["repositories"] == 1


@pytest.mark.slow
def test_a_repository_of_another_user(good: Path, tmp_path: Path) -> None:
    """Git refuses to read it, and so do we, with git's words; a bare one, too."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    make_repository(good / "theirs")
    subprocess.run(["git", "clone", "-q", "--bare", good / "theirs", good / "mirror.git"], check=True)
    Repo(good / "theirs").commit("Second")
    subprocess.run(["chown", "-R", "12345", good / "theirs", good / "mirror.git"], check=True)
    Repo(tmp_path / "fresh").commit("Other", {"AGENTS.md": "x\n"})
    summary = audit(good / "theirs", good / "mirror.git", tmp_path / "fresh", out=tmp_path / "a.jsonl")
    notes = {each["repository"]: each["problem"] for each in summary["failed"]}
    assert notes.keys() == {"theirs", "mirror"} and all("belongs to another user" in note for note in notes.values())


@pytest.mark.slow
def test_a_hostile_file_name(tmp_path: Path) -> None:
    """Newlines and HTML in names are text in every output."""
    make_repository(
        tmp_path / f"fleet/{HOSTILE}", {f"{HOSTILE}/AGENTS.md": "Use tabs.\n[x](gone.md)\n", "skills/<b>/SKILL.md": "x"}
    )
    out = tmp_path / "a.jsonl"
    audit(tmp_path / "fleet", "--html", tmp_path / "page.html", out=out)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<img" not in page and "&lt;img" in page
    assert [row["repository"] for row in read_table(out, "repositories")] == [HOSTILE]
    done = run("audit", tmp_path / "fleet", "--processes", "1")
    assert "a\nb" not in done.stdout


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """Of the repository and of a folder in it, in which no agent can be started: that is said, and no clean check."""
    odd = os.fsdecode(b"caf\xe9")
    make_repository(tmp_path / "fleet" / odd, {"AGENTS.md": "Use tabs.\n", f"{odd}/AGENTS.md": "Be kind.\n"})
    out = tmp_path / "a.jsonl"
    [failed] = audit(tmp_path / "fleet", "--fail-on", "secret", out=out, code=2)["failed"]
    assert "its name is not UTF-8" in failed["problem"]
    assert list_paths(out, "caf\ufffd") == {"AGENTS.md", "caf\ufffd/AGENTS.md"}


@pytest.mark.slow
def test_a_killed_audit_goes_on(tmp_path: Path) -> None:
    """What was finished is not read again, and every repository is there once."""
    for number in range(60):
        make_repository(tmp_path / f"fleet/{number:02}", {"AGENTS.md": f"Use {number} tabs.\n"})
    out, cache = tmp_path / "a.jsonl", tmp_path / "a.jsonl.cache"
    words = [str(OVERTURE), "audit", str(tmp_path / "fleet"), "--out", str(out), "--processes", "1"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (cache.exists() and cache.read_bytes().count(b"\n") > 16):
            time.sleep(0.005)
        process.kill()
    summary = audit(tmp_path / "fleet", "--resume", out=out)
    assert summary["repositories"] == 60 and summary["read"] <= 60 - 2 * 8
    assert len({row["repository"] for row in read_table(out, "repositories")}) == 60


@pytest.mark.slow
def test_an_interrupted_audit_says_how_to_go_on(tmp_path: Path) -> None:
    """Ctrl-C ends with 130 and one line."""
    for number in range(60):
        make_repository(tmp_path / f"fleet/{number:02}", {"AGENTS.md": f"Use {number} tabs.\n"})
    out, cache = tmp_path / "a.jsonl", tmp_path / "a.jsonl.cache"
    words = [str(OVERTURE), "audit", str(tmp_path / "fleet"), "--out", str(out), "--processes", "1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (cache.exists() and cache.read_bytes().count(b"\n") > 2):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (130, "")
    assert "--resume" in stderr and len(stderr.splitlines()) == 1
    assert audit(tmp_path / "fleet", "--resume", out=out)["repositories"] == 60


@pytest.mark.slow
def test_a_circle_of_links(tmp_path: Path) -> None:
    """In a repository and beside it: each repository is found once."""
    repo = make_repository(tmp_path / "fleet/good")
    link(repo.folder / "loop", Path())
    link(repo.folder / "CLAUDE.md", Path("other.md"))
    link(repo.folder / "other.md", Path("CLAUDE.md"))
    repo.commit("Links")
    link(tmp_path / "fleet/up", Path(".."))
    summary = audit(tmp_path / "fleet", out=tmp_path / "a.jsonl")
    assert (summary["repositories"], summary["failed"]) == (1, [])


def test_results_are_kept_through_no_link(good: Path) -> None:
    """A link beside --out leads to a file that is not emptied."""
    kept = put(good.parent / "kept.md", "Mine.")
    link(good.parent / "a.jsonl.cache", kept)
    assert_refused(run("audit", good, "--out", good.parent / "a.jsonl"), "a.jsonl.cache' can't be written")
    assert kept.read_text() == "Mine."


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    """Whatever is in it is not passed over in silence."""
    make_repository(tmp_path / "fleet/good")
    make_repository(tmp_path / "fleet/team/secret")
    line: list[str | Path] = [OVERTURE, "audit", tmp_path / "fleet"]
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root reads everything, and there is no setpriv to change that")
        line = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", *line]
    (tmp_path / "fleet/team").chmod(0)
    done = subprocess.run([*line, "--fail-on", "secret"], capture_output=True, text=True, check=False)
    (tmp_path / "fleet/team").chmod(0o700)
    assert done.returncode == 2
    assert "warning: team: the folder can't be read: permission denied" in done.stderr.splitlines()
