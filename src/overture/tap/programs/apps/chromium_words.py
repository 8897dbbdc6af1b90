"""The words by which an app made with Chromium finds the tap and trusts it, in that process alone.

Chromium takes no certificate from the environment, and sends no token with `--proxy-server`. So it is told by a script
which hosts go through the tap, those of providers, and by a digest whose key to trust; the key is of this run.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from ...families import families
from ...upstreams import Upstream

SCRIPT = """function FindProxyForURL(url, host) {{
  var hosts = {hosts}, places = {places};
  for (var i = 0; i < hosts.length; i++) if (shExpMatch(host, hosts[i])) return {tap};
  for (var j = 0; j < places.length; j++) if (url.indexOf(places[j]) > 0) return {tap};
  return {others};
}}"""
KIND = "data:application/x-ns-proxy-autoconfig;base64,"
PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


def chromium_words(port: int, digest: str, upstreams: Iterable[Upstream], environ: Mapping[str, str]) -> list[str]:
    """The words: the tap at that port, and whom to trust."""
    packed = b64encode(script(port, upstreams, environ).encode()).decode()
    return [f"--proxy-pac-url={KIND}{packed}", f"--ignore-certificate-errors-spki-list={digest}"]


def script(port: int, upstreams: Iterable[Upstream], environ: Mapping[str, str]) -> str:
    """Which way each address goes; what is no provider's goes as the user's own variables say."""
    hosts = [host for family in families().values() for host in family.hosts]
    places = [f"//{each.called}/" for each in upstreams if each.scheme == "https"]
    return SCRIPT.format(
        hosts=json.dumps(hosts),
        places=json.dumps(list(dict.fromkeys(places))),
        tap=json.dumps(f"PROXY 127.0.0.1:{port}"),
        others=json.dumps(_own(environ)),
    )


def _own(environ: Mapping[str, str]) -> str:
    given = next((environ[name] for name in PROXIES if environ.get(name)), "")
    try:
        parts = urlsplit(given if "://" in given else f"http://{given}")
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return "DIRECT"
    if not parts.hostname or parts.scheme not in ("http", "https"):
        return "DIRECT"
    return f"{'HTTPS' if parts.scheme == 'https' else 'PROXY'} {parts.hostname}:{port}; DIRECT"
