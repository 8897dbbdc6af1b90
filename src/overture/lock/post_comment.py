"""Writes one comment on a pull request, or writes it anew, through GitHub's REST API."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

MAX_PAGES = 30
MAX_ANSWER_BYTES = 16 * 1024 * 1024
MAX_SECONDS = 30.0
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
OWN_AUTHORS = ("OWNER", "MEMBER", "COLLABORATOR")


def post_report(variables: Mapping[str, str], event: Mapping[str, Any]) -> str:
    """Write the comment; what became of it, in one line. No answer of GitHub is an error of the job."""
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
    except Exception as problem:  # whatever a network or a proxy answers
        return f"No comment: {type(problem).__name__}: {' '.join(str(problem).split())[:200]}"


class NoRedirects(HTTPRedirectHandler):
    """An answer that leads elsewhere is an error: urllib would send the token there."""

    def redirect_request(self, *_: Any) -> None:
        """Follow none."""


class GitHubApi:
    """The comments of a repository."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
            "User-Agent": "overture",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def send(self, method: str, path: str, body: object = None) -> Any:
        """The answer to a request."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}{path}", data, self.headers, method=method)
        with build_opener(NoRedirects).open(request, timeout=MAX_SECONDS) as answer:
            return json.loads(answer.read(MAX_ANSWER_BYTES))


def write_comment(api: GitHubApi, number: int, text: str) -> str:
    """Write the comment that has the mark of the first line anew, or else a new one."""
    found = find_comment(api, number, text.partition("\n")[0])
    if found is None:
        api.send("POST", f"/{number}/comments", {"body": text})
        return "Comment written."
    api.send("PATCH", f"/comments/{found}", {"body": text})
    return "Comment updated."


def find_comment(api: GitHubApi, number: int, mark: str) -> int | None:
    """The comment with the mark. Anybody may copy the mark, so that only those count that we or the owners wrote."""
    for page in range(1, MAX_PAGES + 1):
        comments = api.send("GET", f"/{number}/comments?per_page=100&page={page}")
        for comment in comments:
            own = comment["user"]["type"] == "Bot" or comment.get("author_association") in OWN_AUTHORS
            if own and comment["body"].startswith(mark):
                return int(comment["id"])
        if len(comments) < 100:
            break
    return None
