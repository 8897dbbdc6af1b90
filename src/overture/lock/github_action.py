"""What the GitHub Action runs: `report` checks and compares, without a token; `comment` posts it.

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
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ..agents.agent_project import resolve_in_folder
from ..agents.agents_in_use import find_used_agents
from ..discovery.paths import contains_path
from ..discovery.tree_files import GitObjects, make_revision_world
from ..discovery.world import World
from ..discovery.write_file import write_file
from ..errors import ConfigError, OvertureError
from ..terminal.options import CommandOptions
from ..terminal.output import print_error, write
from .find_and_build_revisions import RevisionPair, build_and_compare, find_named_revisions
from .lock_file import LOCK_NAME
from .name_revisions import find_git_repository
from .pull_request_markdown import Comparisons, format_report
from .revision_diff import RevisionDiff

ALLOWED_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""HOME is for git, which reads there which repositories are safe. Overture gets an empty one."""
MAX_LOG_CHARS = 100_000
MAX_RECIPES = 60
FAIL_ON = ("error", "warning", "never")
RESULTS = ("Passed", "Found problems", "Could not run")
"""The meaning of an exit code."""
ANNOTATION = re.compile(r"::(error|warning|notice) ")
COMMIT = re.compile(r"(?!0+$)[0-9a-f]{40,64}")


MAX_PAGES = 30

MAX_ANSWER_BYTES = 16 * 1024 * 1024

MAX_API_SECONDS = 30.0

REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")

OWN_AUTHORS = ("OWNER", "MEMBER", "COLLABORATOR")


class NoRedirects(HTTPRedirectHandler):
    """An answer that leads elsewhere is an error: urllib would send the token there."""

    def redirect_request(self, *_: Any) -> None:
        """Refuses every redirect."""


class GitHubApi:
    """The comments of a repository."""

    def __init__(self, url: str, token: str) -> None:
        """Requests of the action to the API at `url`, with the job's token."""
        self.url = url
        self.headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "User-Agent": "overture",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def send(self, method: str, path: str, body: object = None) -> Any:
        """The answer of GitHub to a request of the action."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}{path}", data, self.headers, method=method)
        with build_opener(NoRedirects).open(request, timeout=MAX_API_SECONDS) as answer:
            return json.loads(answer.read(MAX_ANSWER_BYTES))


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
    options = CommandOptions(cwd=cwd, home=home)
    place = ("--cwd", cwd, "--home", home, "--root", root)
    strict = ("--strict",) if fail_on == "warning" else ()
    codes = [run_overture("check", "--format", "github", *strict, *place)]
    results = [f"{RESULTS[codes[0]]}: `overture check`."]
    if os.path.lexists(f"{root}/{LOCK_NAME}"):
        codes.append(run_overture("lock", "--check", *place))
        results.append(f"{RESULTS[codes[1]]}: `overture lock --check`.")
    names = variables.get("OVERTURE_AGENTS", "").replace(",", " ").split()
    comparisons = compare_recipes(read_event(variables), names, options)
    codes += [2 for each in comparisons.values() if isinstance(each, OvertureError)]
    mark = f"<!-- overture action {sha256(os.path.relpath(cwd, root).encode()).hexdigest()[:12]} -->"
    save_report(variables, format_report(mark, results, comparisons))
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


def compare_recipes(event: Mapping[str, Any], names: Sequence[str], options: CommandOptions) -> Comparisons:
    """The difference for each named recipe, or those in use in either revision; the reason if it can't be built."""
    if (revisions := find_range(event)) is None:
        return {}
    pair = find_named_revisions(revisions, None, options, forced=True)
    assert pair is not None  # forced: both are revisions
    comparisons: dict[str, RevisionDiff | OvertureError] = {}
    with GitObjects(pair.repository.root) as objects:
        for name in (names or find_recipes(pair, objects, options))[:MAX_RECIPES]:
            try:
                diff = build_and_compare(pair, objects, options._replace(recipe=name or None))
                comparisons[name or diff.recipes[1] or diff.recipes[0]] = diff
            except OvertureError as problem:
                comparisons[name or "overture.toml"] = problem
    return comparisons


def find_range(event: Mapping[str, Any]) -> str | None:
    """The commits of a pull request or a push; None for other events, and for the first push of a branch."""
    if request := event.get("pull_request"):
        before, dots, after = request["base"]["sha"], "...", request["head"]["sha"]
    else:
        before, dots, after = event.get("before"), "..", event.get("after")
    if not all(isinstance(each, str) and COMMIT.fullmatch(each) for each in (before, after)):
        return None
    return f"{before}{dots}{after}"


def find_recipes(pair: RevisionPair, objects: GitObjects, options: CommandOptions) -> list[str]:
    """The recipes that the action compares: agents in use in either revision; empty: the recipe of overture.toml."""
    root, names, now = pair.repository.root, dict[str, None](), World().machine.now()
    for revision in filter(None, (pair.before, pair.after)):
        world = make_revision_world(root, objects.commit(revision)[0], now)
        if any(world.look(f"{folder}/overture.toml") for folder in (root, pair.cwd)):
            names[""] = None
        try:
            base = resolve_in_folder(pair.cwd, options.home or "", root, world)
            names |= dict.fromkeys(find_used_agents(base))
        except OvertureError:  # a broken overture.toml, which the comparison reports
            names[""] = None
    return list(names)


def save_report(variables: Mapping[str, str], text: str) -> None:
    """Write the file, its name as an output of the step, and the summary of the job."""
    file = f"{variables.get('RUNNER_TEMP') or tempfile.gettempdir()}/overture-{secrets.token_hex(8)}.md"
    write_file(file, f"{text}\n".encode(), new=True, durable=False)
    for name, more in (("GITHUB_STEP_SUMMARY", text), ("GITHUB_OUTPUT", f"file={file}")):
        if path := variables.get(name):
            before = Path(path).read_bytes() if Path(path).exists() else b""
            write_file(path, before + f"{more}\n".encode(), durable=False)


def post_report(variables: Mapping[str, str], event: Mapping[str, Any]) -> str:
    """The action's `comment`: posts its report; what became of it, in one line. No answer of GitHub fails the job."""
    repository, token = variables.get("GITHUB_REPOSITORY", ""), variables.get("OVERTURE_TOKEN", "")
    request = event.get("pull_request") or {}
    head = ((request.get("head") or {}).get("repo") or {}).get("full_name")
    if not token or not isinstance(request.get("number"), int) or not REPOSITORY.fullmatch(repository):
        return "No comment: it needs a token and a pull request."
    if head != repository:
        return "No comment: the pull request comes from a fork. The report is in the job summary."
    api = GitHubApi(f"{variables.get('GITHUB_API_URL') or 'https://api.github.com'}/repos/{repository}/issues", token)
    try:
        text = Path(variables.get("OVERTURE_REPORT", "")).read_text("utf-8")
        return write_comment(api, request["number"], text)
    except HTTPError as problem:
        return f"No comment: GitHub responded with {problem.code}. The token needs `pull-requests: write`."
    except Exception as problem:  # any answer of a network or a proxy
        return f"No comment: {type(problem).__name__}: {' '.join(str(problem).split())[:200]}"


def write_comment(api: GitHubApi, number: int, text: str) -> str:
    """Write the comment that has the mark of the first line anew, or else a new one."""
    comment = find_comment(api, number, text.partition("\n")[0])
    if comment is None:
        api.send("POST", f"/{number}/comments", {"body": text})
        return "Comment written."
    api.send("PATCH", f"/comments/{comment}", {"body": text})
    return "Comment updated."


def find_comment(api: GitHubApi, number: int, mark: str) -> int | None:
    """The comment with the mark. Anybody may copy the mark, so that only comments by us or the owners count."""
    for page in range(1, MAX_PAGES + 1):
        comments = api.send("GET", f"/{number}/comments?per_page=100&page={page}")
        for comment in comments:
            # Its author and its text may be null.
            is_bot = (comment["user"] or {}).get("type") == "Bot"
            own = is_bot or comment.get("author_association") in OWN_AUTHORS
            if own and (comment["body"] or "").startswith(mark):
                return int(comment["id"])
        if len(comments) < 100:
            break
    return None


if __name__ == "__main__":
    sys.exit(main())
