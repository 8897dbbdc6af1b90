"""The page's own files: those that come with the package, by their exact names, read once."""

import hashlib
import re
from base64 import b64encode
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..service.guard import POLICY
from ..service.problems import RefusedError, problem_of

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
INLINE = re.compile(rb'<script type="importmap">(.*?)</script>', re.DOTALL)
ASK_AGAIN = {"cache-control": "no-cache"}
"""A browser keeps the file, and asks each time whether it is still the same."""


class StaticFile(NamedTuple):
    """One file, ready to be sent."""

    body: bytes
    type: str
    tag: str


def read_static() -> dict[str, StaticFile]:
    """All files of the page by name, such as `views/map.js`."""
    return dict(_below(files("overture.web") / "static", ""))


def _below(folder: Traversable, before: str) -> list[tuple[str, StaticFile]]:
    found: list[tuple[str, StaticFile]] = []
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = before + each.name
        found += _below(each, f"{name}/") if each.is_dir() else [(name, _file(name, each.read_bytes()))]
    return found


def _file(name: str, body: bytes) -> StaticFile:
    kind = TYPES.get(name.rpartition(".")[2].lower(), TYPES["txt"])
    return StaticFile(body, kind, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def policy_of(page: bytes) -> str:
    """The content security policy of the page: beside its own files, the one table of names that stands in it."""
    found = INLINE.search(page)
    if found is None:
        return POLICY
    digest = b64encode(hashlib.sha256(found[1]).digest()).decode()
    return POLICY.replace("script-src 'self'", f"script-src 'self' 'sha256-{digest}'")


def static_routes() -> list[Route]:
    """The page itself, and its parts."""
    known = read_static()
    policy = {"content-security-policy": policy_of(known["index.html"].body)}

    async def home(request: Request) -> Response:
        return _answer(request, known["index.html"], policy)

    async def part(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in known:
            raise RefusedError(problem_of("not-found", f"The page has no part {name!r:.100}."))
        return _answer(request, known[name], {})

    return [Route("/", home), Route("/static/{name:path}", part)]


def _answer(request: Request, file: StaticFile, more: dict[str, str]) -> Response:
    headers = {"etag": file.tag, **ASK_AGAIN, **more}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if file.tag in known:
        return Response(status_code=304, headers=headers)
    return Response(file.body, 200, headers, file.type)
