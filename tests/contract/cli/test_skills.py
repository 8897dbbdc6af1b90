import json
import os
import subprocess
import sys
from pathlib import Path

from .forked import run_overture

GOOD = "---\nname: {0}\ndescription: Does {0}.\n---\nBody.\n"


def overture(top: Path, *words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[bytes]":
    """Run the command line as a process, from `top`/p, with `top`/home as home."""
    (top / "p").mkdir(exist_ok=True)
    return run_overture(words, b"", cwd or top / "p", {"HOME": str(top / "home")})


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def skill(top: Path, place: str, text: str = GOOD) -> Path:
    return put(top / place / "SKILL.md", text.format(place.rpartition("/")[2]))


def test_the_list(tmp_path: Path) -> None:
    """Under headings every skill is on a line of its own with outcome, path and description; nothing else is said."""
    skill(tmp_path, "p/.agents/skills/one")
    skill(tmp_path, "home/.opal/skills/two")
    done = overture(tmp_path, "check", "--skills", "opal")
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [line.split() for line in done.stdout.decode().splitlines()]
    assert rows == [
        ["skill", "status", "place", "about"],
        ["one", "listed", ".agents/skills", "Does", "one."],
        ["two", "listed", "~/.opal/skills", "Does", "two."],
    ]


def test_what_is_left_out_is_listed_too(tmp_path: Path) -> None:
    """Hidden and broken skills are on the list, each with the reason: by its own key, or by which other skill."""
    skill(tmp_path, "p/.agents/skills/same")
    skill(tmp_path, "home/.agents/skills/same")
    skill(tmp_path, "p/.agents/skills/bad", "no frontmatter")
    skill(tmp_path, "p/.agents/skills/quiet", GOOD.replace("\n---\nB", "\ndisable-model-invocation: true\n---\nB"))
    done = overture(tmp_path, "check", "--skills", "opal")
    said = {tuple(line.split()[:3]): line for line in done.stdout.decode().splitlines()[1:]}
    assert sorted(said) == [
        ("bad", "skipped", ".agents/skills"),
        ("quiet", "hidden", ".agents/skills"),
        ("same", "hidden", "~/.agents/skills"),
        ("same", "listed", ".agents/skills"),
    ]
    assert "hidden from the model by disable-model-invocation" in said["quiet", "hidden", ".agents/skills"]
    assert "hidden by .agents/skills/same/SKILL.md" in said["same", "hidden", "~/.agents/skills"]
    assert "it has no frontmatter" in said["bad", "skipped", ".agents/skills"]


def test_the_list_as_json(tmp_path: Path) -> None:
    """--json gives the same as one object with skills and diagnostics."""
    one = skill(tmp_path, "p/.agents/skills/one")
    bad = skill(tmp_path, "p/.agents/skills/bad", "no frontmatter")
    done = overture(tmp_path, "check", "--skills", "opal", "--json")
    told = json.loads(done.stdout)
    assert [(row["name"], row["outcome"], row["location"]) for row in told["skills"]] == [
        ("one", "listed", str(one)),
        ("bad", "skipped", str(bad)),
    ]
    assert [(d["level"], d["code"], d["path"], d["line"]) for d in told["diagnostics"]] == [
        ("error", "skill-skipped", str(bad), 1)
    ]
    assert done.returncode == 0


def test_no_skills(tmp_path: Path) -> None:
    """Where there are none, a sentence says so, and --strict finds nothing wrong."""
    done = overture(tmp_path, "check", "--skills", "opal", "--strict")
    assert done.returncode == 0
    assert done.stdout.startswith(b"No skills here.")
    assert json.loads(overture(tmp_path, "check", "--skills", "opal", "--json").stdout) == {
        "skills": [],
        "unread": [],
        "diagnostics": [],
    }


def test_strict_passes_good_skills(tmp_path: Path) -> None:
    """--strict ends with 0 where every skill keeps every rule, whatever else is in the project."""
    skill(tmp_path, "p/.agents/skills/one")
    put(tmp_path / "p/AGENTS.md", b"\xff")
    assert overture(tmp_path, "check", "--skills", "opal", "--strict").returncode == 0


def test_strict_fails_on_a_warning(tmp_path: Path) -> None:
    """--strict ends with 1 where a skill breaks a rule, with the one line on standard error."""
    path = skill(tmp_path, "p/.agents/skills/one", "---\nname: other\ndescription: D.\n---\n")
    line = f"warning: {path}: line 2: name 'other' differs from the name of its folder, 'one'\n"
    done = overture(tmp_path, "check", "--skills", "pi", "--strict")
    assert (done.returncode, done.stderr.decode()) == (1, line)
    done = overture(tmp_path, "check", "--skills", "pi")
    assert (done.returncode, done.stderr.decode()) == (0, line)


def test_opal_lists_an_invalid_skill_as_skipped(tmp_path: Path) -> None:
    """What opal skips is on the list and on standard error, each with the reason, and fails --strict."""
    path = skill(tmp_path, "p/.agents/skills/one", "---\nname: other\ndescription: D.\n---\n")
    done = overture(tmp_path, "check", "--skills", "opal", "--strict")
    line = f"error: {path}: line 2: skipped: name 'other' differs from the name of its folder, 'one'\n"
    assert (done.returncode, done.stderr.decode()) == (1, line)
    assert done.stdout.decode().splitlines()[1].split()[:2] == ["one", "skipped"]
    [row] = json.loads(overture(tmp_path, "check", "--skills", "opal", "--json").stdout)["skills"]
    assert (row["outcome"], row["location"]) == ("skipped", str(path))
    assert row["detail"] == "name 'other' differs from the name of its folder, 'one'"


def test_strict_fails_on_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    """A SKILL.md that is not UTF-8 is reported, and fails --strict."""
    path = put(tmp_path / "p/.agents/skills/one/SKILL.md", b"---\nname: one\ndescription: D\xff.\n---\n")
    done = overture(tmp_path, "check", "--skills", "opal", "--strict")
    assert done.stderr.decode().startswith(f"warning: {path}: line 3: byte 0xff is not UTF-8")
    assert done.returncode == 1


def test_strict_fails_on_a_collision(tmp_path: Path) -> None:
    """Two skills of one name are reported with both paths, and fail --strict."""
    first = skill(tmp_path, "p/.agents/skills/same")
    second = skill(tmp_path, "p/.github/skills/same")
    done = overture(tmp_path, "check", "--skills", "opal", "--strict")
    assert done.returncode == 1
    expected = f"warning: {second}: skipped: {first} has the same name, 'same', and comes first\n"
    assert done.stderr.decode() == expected


def test_strict_fails_on_a_link_that_leads_out(tmp_path: Path) -> None:
    """A skill that is a link out of the project is reported, and fails --strict."""
    skill(tmp_path, "elsewhere/one")
    (tmp_path / "p/.agents/skills").mkdir(parents=True)
    (tmp_path / "p/.agents/skills/one").symlink_to(tmp_path / "elsewhere/one")
    done = overture(tmp_path, "check", "--skills", "opal", "--strict")
    assert done.returncode == 1
    assert b"outside the project" in done.stderr


def test_home_above_the_project_is_no_duplicate(tmp_path: Path) -> None:
    """With a project under home, the list holds the user's skills once and no row for their folder."""
    skill(tmp_path, "home/.agents/skills/mine")
    (tmp_path / "home/work").mkdir()
    done = overture(tmp_path, "check", "--skills", "pi", cwd=tmp_path / "home/work")
    rows = [line.split()[:3] for line in done.stdout.decode().splitlines()[1:]]
    assert rows == [["mine", "listed", "~/.agents/skills"]]


def test_a_description_cannot_play_with_the_terminal(tmp_path: Path) -> None:
    """Control characters of a skill, also those of the eight-bit kind, are made visible."""
    skill(tmp_path, "p/.agents/skills/one", '---\nname: one\ndescription: "a\\e[31mb\\x9b32mc\\x7f"\n---\n')
    out = overture(tmp_path, "check", "--skills", "opal").stdout.decode()
    assert not [c for c in out if c != "\n" and (c < " " or "\x7f" <= c <= "\x9f")]


def test_a_folder_whose_name_is_not_utf8(tmp_path: Path) -> None:
    """A folder whose name is not UTF-8 ends no command with a traceback."""
    folder = os.fsencode(tmp_path / "p/.agents/skills") + b"/bad\xff"
    os.makedirs(folder)
    put(Path(os.fsdecode(folder)) / "SKILL.md", "---\nname: bad\ndescription: D.\n---\n")
    skill(tmp_path, "p/.agents/skills/one")
    for words in (
        ["check", "--skills"],
        ["check", "--skills", "--json"],
        ["state"],
        ["build"],
        ["build", "--format", "json"],
        ["explain"],
    ):
        done = overture(tmp_path, words[0], "opal", *words[1:])
        assert done.returncode == 0, words
        assert b"Traceback" not in done.stderr
        assert b"one" in done.stdout


def test_a_missing_working_directory_is_one_line(tmp_path: Path) -> None:
    """A --cwd that is not there ends with 2 and one line."""
    done = overture(tmp_path, "check", "--skills", "opal", "--cwd", "nowhere")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        "error: The working directory `nowhere` is not a directory\nhint: Pass one that exists\n"
    )


def test_a_working_directory_that_was_deleted_is_one_line(tmp_path: Path) -> None:
    """A process whose own working directory is gone gets one line, and works with --cwd."""
    skill(tmp_path, "p/.agents/skills/one")
    gone = tmp_path / "gone"
    gone.mkdir()
    run = f'rmdir "$0" && exec "{sys.executable}" -m overture check --skills opal --home / "$@"'
    done = subprocess.run(["/bin/sh", "-c", run, gone], cwd=gone, capture_output=True, timeout=30, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"error: ") == 1
    gone.mkdir()
    done = subprocess.run(
        ["/bin/sh", "-c", run, gone, "--cwd", tmp_path / "p"], cwd=gone, capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\none " in done.stdout


def test_a_root_that_is_not_above_is_one_line(tmp_path: Path) -> None:
    """A --root that does not hold the working directory ends with 2 and one line that names both."""
    (tmp_path / "q").mkdir()
    done = overture(tmp_path, "check", "--skills", "opal", "--root", "../q")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: The root `../q` is not the working directory ")
    assert done.stderr.count(b"error: ") == 1
