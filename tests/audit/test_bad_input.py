"""Whatever a place is, the others are audited: it has a row that says why it is not. Nothing is run or unpacked."""

import io
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from overture.terminal.tables_of_structs import DataTable, write_markdown
from tests.contract.cli.run import OVERTURE, assert_refused, run
from tests.contract.discovery.disk import put
from tests.contract.discovery.repository import Repo

from .fleet import audit, audit_process, make_repository, read_row, read_table

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
    notes: dict[str, str] = {each["repository"]: each["note"] for each in summary["failed"]}
    return notes[name]


@pytest.mark.slow
def test_a_submodule_is_named_and_not_entered(good: Path, tmp_path: Path) -> None:
    """Neither in the tree, nor where it is checked out; nor is a worktree inside a checkout another repository."""
    inner = make_repository(tmp_path / "inner", {"AGENTS.md": "Inside.\n"})
    outer = make_repository(good / "outer")
    outer.git("submodule", "--quiet", "add", inner.folder, "lib")
    outer.commit("With a submodule")
    outer.git("worktree", "add", "-q", "tree")
    audit(good, out=tmp_path / "out")
    assert read_row(tmp_path / "out", "outer")["submodules"] == ["lib"]
    assert {row["repository"] for row in read_table(tmp_path / "out", "repositories")} == {"good", "outer"}
    assert {row["path"] for row in read_table(tmp_path / "out", "texts")} == {"AGENTS.md"}


def test_a_corrupt_pack(good: Path, tmp_path: Path) -> None:
    """The commit can't be read."""
    repo = make_repository(good / "broken", {"AGENTS.md": "Broken.\n"})
    repo.git("gc", "-q")
    [pack] = (repo.folder / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[:20] + b"\xff" * 400)
    assert "git can't read it" in failure(good, tmp_path / "out", "broken")


@pytest.mark.slow
def test_a_repository_that_cannot_be_read_is_no_clean_check(good: Path, tmp_path: Path) -> None:
    """With --fail-on the exit code is 2, also where only a part is missing; without it, a warning says so."""
    audit(good, "--fail-on", "secret", out=tmp_path / "clean")
    audit(good, tmp_path / "gone", out=tmp_path / "warned")
    audit(good, tmp_path / "gone", "--fail-on", "secret", out=tmp_path / "failed", code=2)
    repo = make_repository(good / "partial", {"AGENTS.md": "Use tabs.\n"})
    blob = repo.git("rev-parse", "HEAD:AGENTS.md")
    (repo.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    audit(good, "--fail-on", "secret", out=tmp_path / "parts", code=2)


@pytest.mark.slow
def test_nothing_but_failures_is_exit_code_2(tmp_path: Path) -> None:
    """Never 0 with an empty product; without any place, nothing is written."""
    audit(tmp_path / "gone", out=tmp_path / "out", code=2)
    assert_refused(audit_process(out=tmp_path / "none"), "No place to audit")
    assert_refused(audit_process(f"@{tmp_path}/gone.txt", out=tmp_path / "none"), "can't be read: no such file")
    assert not (tmp_path / "none").exists()


def make_tar(path: Path, files: dict[str, str], *more: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
        for member in more:
            archive.addfile(member)
    return path


@pytest.mark.slow
def test_archives_are_read_and_not_unpacked(good: Path, tmp_path: Path) -> None:
    """Tarballs, with and without compression; the folder around everything is left out."""
    make_tar(good / "one.tar.gz", {"one-abc/AGENTS.md": "Use tabs.\n", "one-abc/src/AGENTS.md": "Be kind.\n"})
    make_tar(good / "two.tar", {"AGENTS.md": "Use tabs.\n", "README.md": "Hello.\n"})
    before = sorted(tmp_path.rglob("*"))
    audit(good, out=tmp_path / "out")
    assert (
        sorted(
            path
            for path in tmp_path.rglob("*")
            if path.parts[: len((tmp_path / "out").parts)] != (tmp_path / "out").parts
        )
        == before
    )
    paths = {(row["repository"], row["path"]) for row in read_table(tmp_path / "out", "texts")}
    assert paths >= {("one", "AGENTS.md"), ("one", "src/AGENTS.md"), ("two", "AGENTS.md")}
    assert audit(good, out=tmp_path / "out")["audited"] == 0


def test_members_that_lead_out_are_harmless(good: Path, tmp_path: Path) -> None:
    """`../x`, absolute paths, and links to files of this machine."""
    put(tmp_path / "secret.md", "Of this machine.\n")
    out = tarfile.TarInfo("CLAUDE.md")
    out.type, out.linkname = tarfile.SYMTYPE, str(tmp_path / "secret.md")
    hard = tarfile.TarInfo("GEMINI.md")
    hard.type, hard.linkname = tarfile.LNKTYPE, "AGENTS.md"
    broken = tarfile.TarInfo("x/AGENTS.md")
    broken.type, broken.linkname = tarfile.LNKTYPE, "../../secret.md"
    make_tar(
        good / "evil.tar",
        {"AGENTS.md": "Use tabs.\n", "../AGENTS.md": "Out.\n", "a/../../b.md": "Out.\n"},
        out,
        hard,
        broken,
    )
    audit(good, out=tmp_path / "out")
    rows = {row["path"]: row["lines"] for row in read_table(tmp_path / "out", "texts") if row["repository"] == "evil"}
    assert rows == {"AGENTS.md": 2, "GEMINI.md": 2} and not (good / "b.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cut.tar.gz", "cut.tar"])
def test_a_truncated_archive(good: Path, tmp_path: Path, name: str) -> None:
    """Half of it is no repository."""
    files = {f"p/{number}.md": os.urandom(3000).hex() for number in range(20)}
    make_tar(good / name, files)
    data = (good / name).read_bytes()
    (good / name).write_bytes(data[: len(data) // 2 + 100])
    assert "damaged" in failure(good, tmp_path / "out", "cut")


@pytest.mark.slow
def test_a_link_in_an_archive_may_lead_to_a_name_that_is_not_utf_8(good: Path, tmp_path: Path) -> None:
    """Only that link leads nowhere: all other files of the archive are there."""
    odd = tarfile.TarInfo("p/CLAUDE.md")
    odd.type, odd.linkname = tarfile.SYMTYPE, os.fsdecode(b"caf\xe9")
    make_tar(good / "odd.tar", {"p/AGENTS.md": "Use tabs.\n"}, odd)
    assert audit(good, out=tmp_path / "out")["failed"] == []
    assert {row["path"] for row in read_table(tmp_path / "out", "texts")} == {"AGENTS.md"}


@pytest.mark.slow
def test_the_identity_is_the_commit(tmp_path: Path) -> None:
    """Of a checkout, a worktree, a bare clone, a branch, an annotated tag, detached, packed: it is read once."""
    repo = make_repository(tmp_path / "p")
    repo.git("tag", "-a", "v1", "-m", "v1")
    repo.git("worktree", "add", "-q", "-b", "other", tmp_path / "tree")
    repo.git("clone", "-q", "--bare", repo.folder, tmp_path / "bare.git")
    places = [tmp_path / name for name in ("p", "tree", "bare.git", "p@v1", "p@other", "bare.git@main")]
    repo.git("checkout", "-q", "--detach")
    repo.git("pack-refs", "--all")
    assert audit(*places, out=tmp_path / "out")["audited"] == 1
    rows = read_table(tmp_path / "out", "repositories")
    assert [row["identity"] for row in rows] == [repo.git("rev-parse", "HEAD")] * 6
    assert audit(*places, out=tmp_path / "out")["audited"] == 0


@pytest.mark.slow
def test_a_folder_is_never_taken_for_the_repository_around_it(tmp_path: Path) -> None:
    """A `.git` without content: git would go on above."""
    outer = make_repository(tmp_path / "outer")
    (outer.folder / "inner/.git").mkdir(parents=True)
    summary = audit(outer.folder / "inner", out=tmp_path / "out", code=2)
    assert [each["repository"] for each in summary["failed"]] == ["inner"]


@pytest.mark.slow
def test_a_folder_that_a_clone_lacks(good: Path, tmp_path: Path) -> None:
    """The repository is named with its reason: what is in that folder is not known."""
    repo = make_repository(good / "lacks", {"AGENTS.md": "Use tabs.\n", "sub/AGENTS.md": "Be kind.\n"})
    tree = repo.git("rev-parse", "HEAD:sub")
    (repo.folder / ".git/objects" / tree[:2] / tree[2:]).unlink()
    assert "does not have all of its folders" in failure(good, tmp_path / "out", "lacks")


@pytest.mark.slow
def test_revisions(tmp_path: Path) -> None:
    """A branch, a tag, an ancestor; an unknown name is an error; `@` may be part of a path."""
    repo = make_repository(tmp_path / "a@b", {"AGENTS.md": "One.\n"})
    repo.git("tag", "-a", "v1", "-m", "v1")
    repo.commit("Second", {"AGENTS.md": "One.\nTwo.\n"})
    names = ["a@b", "a@b@v1", "a@b@HEAD~1", "a@b@main", "a@b@gone"]
    summary = audit(*(tmp_path / name for name in names), out=tmp_path / "out")
    assert [each["note"] for each in summary["failed"]] == ["'gone' names no commit"]
    lines = {row["repository"]: row["lines"] for row in read_table(tmp_path / "out", "texts")}
    assert lines == {"a@b": 3, "a@b@v1": 2, "a@b@HEAD~1": 2, "a@b@main": 3}
    assert audit(*(tmp_path / name for name in names[:4]), out=tmp_path / "out")["audited"] == 0


@pytest.mark.slow
def test_two_runs_on_one_folder(good: Path, tmp_path: Path) -> None:
    """The second is refused while the first holds it."""
    script = (
        "import sys\nfrom overture.batch.job_folder import Job, open_output\n"
        "with open_output(sys.argv[1], Job('audit', {}), resume=False):\n"
        "    print('ready', flush=True)\n    sys.stdin.read()\n"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "out")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"ready\n"
        assert_refused(audit_process(good, out=tmp_path / "out"), "in use by another run")
        holder.kill()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(good: Path, tmp_path: Path) -> None:
    """An error with a hint; with room again, `--resume` goes on."""
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    words = [str(OVERTURE), "audit", str(good), "--out", str(tmp_path / "out"), "--processes", "1"]
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert done.returncode == 2 and "can't be written" in done.stderr and "--resume" in done.stderr
    assert audit(good, "--resume", out=tmp_path / "out")["repositories"] == 1


@pytest.mark.slow
def test_a_repository_of_another_user(good: Path, tmp_path: Path) -> None:
    """Git refuses to read it, and so do we, with the command that allows it; a bare one, too."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    make_repository(good / "theirs")
    subprocess.run(["git", "clone", "-q", "--bare", good / "theirs", good / "mirror.git"], check=True)
    Repo(good / "theirs").commit("Second")
    subprocess.run(["chown", "-R", "12345", good / "theirs", good / "mirror.git"], check=True)
    Repo(tmp_path / "fresh").commit("Other", {"AGENTS.md": "x\n"})
    summary = audit(good / "theirs", good / "mirror.git", tmp_path / "fresh", out=tmp_path / "out")
    notes = {each["repository"]: each["note"] for each in summary["failed"]}
    assert notes.keys() == {"theirs", "mirror"} and all("belongs to another user" in note for note in notes.values())


@pytest.mark.slow
def test_a_hostile_file_name(tmp_path: Path) -> None:
    """Newlines, HTML and Markdown in names are text in every output."""
    make_repository(
        tmp_path / f"fleet/{HOSTILE}", {f"{HOSTILE}/AGENTS.md": "Use tabs.\n[x](gone.md)\n", "skills/<b>/SKILL.md": "x"}
    )
    out = tmp_path / "out"
    audit(tmp_path / "fleet", "--html", out / "page.html", "--markdown", out / "page.md", out=out)
    page = (out / "page.html").read_text(encoding="utf-8")
    assert "<img" not in page and "&lt;img" in page
    table = [line for line in (out / "page.md").read_text(encoding="utf-8").splitlines() if "img" in line]
    assert table and all("\\<img" in line and "\\|" in line for line in table)
    assert [row["repository"] for row in read_table(out, "repositories")] == [HOSTILE]
    done = run("audit", tmp_path / "fleet", "--out", out, "--processes", "1")
    assert "a\nb" not in done.stdout


@pytest.mark.slow
def test_markdown_escapes_what_markdown_would_take(tmp_path: Path) -> None:
    """A mention, an address and the name of a picture; not every `@` and every `:`."""
    table = DataTable("t", "T", ["a"], [["x@v1: a:b"], ["@ada"], ["https://a.b"], [":tada:"], ["a_b"]])
    lines = write_markdown("Title", [table]).splitlines()[-5:]
    assert lines == ["| x@v1: a:b |", "| @<!-- -->ada |", "| https\\://a.b |", "| \\:tada: |", "| a\\_b |"]


@pytest.mark.slow
def test_a_killed_audit_goes_on(tmp_path: Path) -> None:
    """What was finished is not read again, and every repository is there once."""
    for number in range(60):
        make_repository(tmp_path / f"fleet/{number:02}", {"AGENTS.md": f"Use {number} tabs.\n"})
    out = tmp_path / "out"
    words = [str(OVERTURE), "audit", str(tmp_path / "fleet"), "--out", str(out), "--processes", "1"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and len(list((out / "parts").glob("0*.jsonl"))) < 2:
            time.sleep(0.005)
        process.kill()
    summary = audit(tmp_path / "fleet", "--resume", out=out)
    assert summary["repositories"] == 60 and summary["audited"] <= 60 - 2 * 8
    assert len({row["repository"] for row in read_table(out, "repositories")}) == 60


@pytest.mark.slow
def test_an_interrupted_audit_says_how_to_go_on(tmp_path: Path) -> None:
    """Ctrl-C ends with 130 and one line."""
    for number in range(60):
        make_repository(tmp_path / f"fleet/{number:02}", {"AGENTS.md": f"Use {number} tabs.\n"})
    out = tmp_path / "out"
    words = [str(OVERTURE), "audit", str(tmp_path / "fleet"), "--out", str(out), "--processes", "1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not list((out / "parts").glob("0*.jsonl")):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (130, "")
    assert "--resume" in stderr and len(stderr.splitlines()) == 1
    assert audit(tmp_path / "fleet", "--resume", out=out)["repositories"] == 60
