"""The page's own files: exact names, right types, kept by the browser for as long as they are the same."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from overture.web.make_bundle import read_bundle

from .shown import Paged, paged

STATIC = Path(str(files("overture.web") / "static"))
TOKEN = "correct-horse-battery-staple"


def test_the_address_is_the_page(page: Paged) -> None:
    """HTML with one script and one style, both of this address; no script in the text is allowed."""
    answer = page.client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert len(re.findall(r'<script type="module" src="/static/page-[0-9a-f]{16}\.js"></script>', answer.text)) == 1
    assert answer.text.count("<script") == answer.text.count('rel="stylesheet"') == 1
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers.get_list("content-security-policy") == [policy]


def test_a_part_that_is_known_is_not_sent_again(page: Paged) -> None:
    """304 for whoever has the page; its script and style are named by their content, and never asked for twice."""
    first = page.client.get("/")
    assert first.headers["cache-control"] == "no-cache"
    again = page.client.get("/", headers={"If-None-Match": f'W/{first.headers["etag"]}, "x"'})
    assert (again.status_code, again.content) == (304, b"")
    assert page.client.get("/", headers={"If-None-Match": '"other"'}).status_code == 200
    for name in re.findall(r"/static/page-\w+\.(?:js|css)", first.text):
        part = page.client.get(name)
        assert "immutable" in part.headers["cache-control"]
        assert part.headers["content-encoding"] == "gzip"
        assert int(part.headers["content-length"]) < len(part.content) / 3
        plain = page.client.get(name, headers={"Accept-Encoding": "identity"})
        assert plain.content == part.content
        assert "content-encoding" not in plain.headers


def test_the_bundle_of_the_wheel_is_the_bundle_of_the_tree(page: Paged) -> None:
    """Both are made by one function; each module of the tree is in it once, behind those that it imports."""
    script = read_bundle().script
    modules = re.findall(r'^modules\["([^"]+)"\] = ', script, re.MULTILINE)
    own = {
        f"overture/{path.relative_to(STATIC).as_posix()}"
        for path in STATIC.rglob("*.js")
        if path.parent.name != "vendor"
    }
    assert own < set(modules)
    assert len(modules) == len(set(modules))
    for at, name in enumerate(modules):
        body = script.split(f'modules["{name}"] = ')[1].split("\nmodules[")[0]
        assert set(re.findall(r'= modules\["([^"]+)"\];', body)) <= set(modules[:at]), name
    assert re.search(r"^(import|export) ", script, re.MULTILINE) is None


@pytest.mark.parametrize(
    "path",
    ["/static/", "/static/none.js", "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py",
     "/static/%2e%2e%2f%2e%2e%2fapi.py", "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/index.html%00.js",
     "/static/./index.html", "/static/INDEX.HTML", "/static/..%5capp.py",
     "/page/file/..%2f..%2fetc%2fpasswd", "/page/file/%2fetc%2fpasswd", "/page/sheet/../../etc/passwd"],
)  # fmt: skip
def test_no_path_leads_out_of_the_page(page: Paged, path: str) -> None:
    """404 as problem details for what is no name of a part, written plainly or encoded."""
    with page.raw() as connection:  # a client would clean the path
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{page.door.port}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"application/problem+json" in answer


def test_with_a_token_the_page_is_open_and_its_data_is_not(tmp_path: Path) -> None:
    """Whoever has no token gets the page, which asks for it, and nothing of the project."""
    with paged(tmp_path, token=TOKEN) as page:
        assert page.client.get("/").status_code == 200
        assert page.client.get("/static/icon.svg").status_code == 200
        for path in ("/page/sheet", "/page/turns", "/page/state", "/page/events", "/static/../page/sheet"):
            answer = page.client.get(path)
            assert answer.status_code == 401
            assert answer.json()["type"].endswith(":token")
        assert page.client.get("/page/sheet", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
        assert page.client.get(f"/page/sheet?token={TOKEN}").status_code == 401
