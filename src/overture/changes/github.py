"""What the GitHub Action runs: `report` checks and compares, without a token; `comment` posts it with `gh`.

The text of a pull request is untrusted. Both sides of the difference come from git, home is an empty folder, and of
the environment only the variables remain that git needs.
"""

import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..discovery.paths import contains_path
from ..discovery.write_file import write_file
from ..errors import ConfigError, OvertureError
from ..terminal.options import CommandOptions
from ..terminal.output import print_error, write
from ..text.escape import code_span
from .lockfile import LOCK_NAME
from .markdown import format_comment
from .name_revisions import find_git_repository
from .revisions import sort_names
from .show import compare_named_revisions

ALLOWED_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""HOME is for git, which reads there which repositories are safe. Overture gets an empty one."""
MAX_LOG_CHARS = 100_000
MAX_GH_SECONDS = 120.0
FAIL_ON = ("error", "warning", "never")
RESULTS = ("Passed", "Found problems", "Could not run")
"""The meaning of an exit code."""
ANNOTATION = re.compile(r"::(error|warning|notice) ")
COMMIT = re.compile(r"(?!0+$)[0-9a-f]{40,64}")
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
OWN_AUTHORS = ("OWNER", "MEMBER", "COLLABORATOR")


def main() -> int:
    """Run `report` or `comment`. An error is one line, and exit code 2."""
    variables = dict(os.environ)
    try:
        if sys.argv[1:] == ["comment"]:
            write(post_report(variables, read_event(variables)))
            return 0
        for name in variables.keys() - ALLOWED_VARIABLES:
            del os.environ[name]
        with tempfile.TemporaryDirectory() as home:
            return write_report(variables, home)
    except OvertureError as problem:
        print_error(f"error: {problem}")
        return 2


def read_event(variables: Mapping[str, str]) -> dict[str, Any]:
    """What happened, as GitHub writes it for a job."""
    try:
        event = json.loads(Path(variables["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    except (KeyError, OSError, ValueError) as problem:
        raise ConfigError(f"Can't read the file in GITHUB_EVENT_PATH: {problem}") from None
    return event if isinstance(event, dict) else {}


def write_report(variables: Mapping[str, str], home: str) -> int:
    """Run the check, the lock and the comparison; write the report to the summary and to a file."""
    fail_on = variables.get("OVERTURE_FAIL_ON") or FAIL_ON[0]
    if fail_on not in FAIL_ON:
        raise ConfigError(f"fail-on is {fail_on!r}.", hint=f"Use one of {', '.join(FAIL_ON)}.")
    cwd = find_action_folder(variables)
    root = find_git_repository(cwd).root
    strict = ("--strict",) if fail_on == "warning" else ()
    codes = [run_overture("check", "--format", "github", *strict, "--cwd", cwd, "--home", home, "--root", root)]
    results = [f"{RESULTS[codes[0]]}: `overture check`."]
    if os.path.lexists(f"{root}/{LOCK_NAME}"):
        codes.append(run_overture("lock", "--check", "--cwd", cwd))
        results.append(f"{RESULTS[codes[1]]}: `overture lock --check`.")
    mark = f"<!-- overture action {sha256(os.path.relpath(cwd, root).encode()).hexdigest()[:12]} -->"
    subjects = variables.get("OVERTURE_AGENTS", "").replace(",", " ").split()
    text = "\n\n".join([mark, "### What agents read", *results, "Nothing to compare: fewer than two revisions."])
    if (revisions := find_range(read_event(variables))) is not None:
        try:
            options = CommandOptions(cwd=cwd, home=home)
            diff = compare_named_revisions(sort_names([*subjects, revisions], options), options)
            text = format_comment(diff, mark, results)
        except OvertureError as problem:
            print_error(f"error: {problem}")
            codes.append(2)
            text = "\n\n".join(
                [mark, "### What agents read", *results, f"Can't compare: {code_span(str(problem), 400)}"]
            )
    save_report(variables, text)
    return 0 if max(codes) == 1 and fail_on == "never" else max(codes)


def find_action_folder(variables: Mapping[str, str]) -> str:
    """The working directory. A pull request may have put a link in its place, which must not lead elsewhere."""
    workspace = os.path.realpath(variables.get("GITHUB_WORKSPACE") or ".")
    folder = os.path.realpath(os.path.join(workspace, variables.get("OVERTURE_FOLDER") or "."))
    if not contains_path(workspace, folder) or not os.path.isdir(folder):
        raise ConfigError(f"working-directory {variables.get('OVERTURE_FOLDER')!r} is not a folder of the checkout.")
    return folder


def run_overture(*words: str) -> int:
    """Run a command, and show the start of what it prints. Only annotations of the check are commands to the runner."""
    done = subprocess.run([sys.executable, "-I", "-m", "overture", *words], capture_output=True, check=False)
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    lines = (out + err).splitlines() if words[0] == "lock" else err.splitlines()
    stop = secrets.token_hex(16)
    marked = [line for line in out.splitlines() if words[0] == "check" and ANNOTATION.match(line)]
    shown, rest = ("\n".join(each)[:MAX_LOG_CHARS] for each in (marked, lines))
    # Each is shortened alone: a part of the stop word would stop the commands of all later steps.
    write(f"{shown}\n::stop-commands::{stop}\n{rest}\n::{stop}::")
    return min(done.returncode, 2) if done.returncode >= 0 else 2


def find_range(event: Mapping[str, Any]) -> str | None:
    """The commits of a pull request or a push; None for other events, and for the first push of a branch."""
    if request := event.get("pull_request"):
        before, dots, after = request["base"]["sha"], "...", request["head"]["sha"]
    else:
        before, dots, after = event.get("before"), "..", event.get("after")
    if not all(isinstance(each, str) and COMMIT.fullmatch(each) for each in (before, after)):
        return None
    return f"{before}{dots}{after}"


def save_report(variables: Mapping[str, str], text: str) -> None:
    """Write the file, its name as an output of the step, and the summary of the job."""
    file = f"{variables.get('RUNNER_TEMP') or tempfile.gettempdir()}/overture-{secrets.token_hex(8)}.md"
    write_file(file, f"{text}\n".encode(), new=True, durable=False)
    for name, more in (("GITHUB_STEP_SUMMARY", text), ("GITHUB_OUTPUT", f"file={file}")):
        if path := variables.get(name):
            before = Path(path).read_bytes() if Path(path).exists() else b""
            write_file(path, before + f"{more}\n".encode(), durable=False)


def post_report(variables: Mapping[str, str], event: Mapping[str, Any]) -> str:
    """Posts the report; what became of it, in one line. No answer of GitHub fails the job."""
    repository, report = variables.get("GITHUB_REPOSITORY", ""), variables.get("OVERTURE_REPORT", "")
    request = event.get("pull_request") or {}
    head = ((request.get("head") or {}).get("repo") or {}).get("full_name")
    number = request.get("number")
    if not variables.get("GH_TOKEN") or not isinstance(number, int) or not REPOSITORY.fullmatch(repository):
        return "No comment: it needs a token and a pull request."
    if head != repository:
        return "No comment: the pull request comes from a fork. The report is in the job summary."
    try:
        comments = f"repos/{repository}/issues/{number}/comments"
        mark = Path(report).read_text("utf-8").partition("\n")[0]
        known = find_comment(run_gh("--paginate", f"{comments}?per_page=100"), mark)
        place = comments if known is None else f"repos/{repository}/issues/comments/{known}"
        run_gh("--method", "POST" if known is None else "PATCH", place, "--field", f"body=@{report}")
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        return f"No comment: {' '.join(str(problem).split())[:200]}. The token needs `pull-requests: write`."
    return "Comment written." if known is None else "Comment updated."


def run_gh(*words: str) -> str:
    """What `gh api` answers; a refusal is an OSError."""
    # Not in the checkout: its settings are those of a stranger.
    done = subprocess.run(["gh", "api", *words], cwd="/", capture_output=True, timeout=MAX_GH_SECONDS, check=False)
    if done.returncode:
        raise OSError(done.stderr.decode("utf-8", "replace") or f"gh exited with {done.returncode}")
    return done.stdout.decode("utf-8", "replace")


def find_comment(pages: str, mark: str) -> int | None:
    """The comment with the mark. Anybody may copy the mark, so that only comments by us or the owners count."""
    for comment in list_comments(pages):
        is_bot = (comment["user"] or {}).get("type") == "Bot"  # its author and its text may be null
        own = is_bot or comment.get("author_association") in OWN_AUTHORS
        if own and (comment["body"] or "").startswith(mark):
            return int(comment["id"])
    return None


def list_comments(pages: str) -> Iterator[dict[str, Any]]:
    """The comments of all pages: `gh` prints one list after the other."""
    pages = pages.strip()
    while pages:
        page, end = json.JSONDecoder().raw_decode(pages)
        yield from page
        pages = pages[end:].lstrip()


if __name__ == "__main__":
    sys.exit(main())
