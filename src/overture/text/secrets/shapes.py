"""The shapes of keys and tokens: the letters that each kind begins with, and what it looks like from there on."""

import re
from typing import NamedTuple


class Shape(NamedTuple):
    """A kind of secret."""

    kind: str
    anchors: tuple[str, ...]
    """Every one of them holds one of these, which a text is quickly searched for."""
    written: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """What it looks like from there on. The group `v`, where there is one, is the secret itself."""
        return re.compile(self.written, re.ASCII)  # once: few texts hold an anchor, and to compile all takes a while


def _shape(kind: str, anchors: str, pattern: str) -> Shape:
    return Shape(kind, tuple(anchors.split()), pattern)


APART = r"(?<![A-Za-z0-9])"
SHAPES = (
    _shape("AWS access key", "AKIA ASIA", r"(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    _shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,251}"),
    _shape("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{60,251}"),
    _shape("GitLab token", "glpat- glptt- gldt- glrt- glcbt- glsoat-", r"gl[a-z]{2,4}-[\w-]{20,300}"),
    _shape("Slack token", "xox", APART + r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,300}"),
    _shape("Slack token", "xapp-", APART + r"xapp-[A-Za-z0-9-]{30,300}"),
    _shape(
        "Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?P<v>(?:services|workflows|triggers)/[\w/-]{30,300})"
    ),
    _shape("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{32,300}"),
    _shape("OpenRouter key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    _shape(
        "OpenAI key", "sk-", APART + r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{32,300}|[A-Za-z0-9]{32,100}(?![\w-]))"
    ),
    _shape("Google API key", "AIza", r"(?<![\w-])AIza[\w-]{35}(?![\w-])"),
    _shape("Google OAuth token", "ya29.", APART + r"ya29\.[\w-]{30,512}"),
    _shape("Google OAuth token", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    _shape("Stripe key", "sk_live_ rk_live_", r"[rs]k_live_[A-Za-z0-9]{16,250}"),
    _shape("Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/]{32,100}"),
    _shape("npm token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _shape("PyPI token", "pypi-", r"pypi-[\w-]{50,500}"),
    _shape("Hugging Face token", "hf_", APART + r"hf_[A-Za-z0-9]{34,40}(?![A-Za-z0-9])"),
    _shape("SendGrid key", "SG.", APART + r"SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    _shape("Twilio key", "SK", APART + r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _shape("Groq key", "gsk_", APART + r"gsk_[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    _shape("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp[a-z]{2}_[0-9a-fA-F]{32}"),
    _shape("Databricks token", "dapi", APART + r"dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("Telegram token", ":AA", r"(?<=[0-9]{8}):(?P<v>AA[\w-]{33})(?![\w-])"),
    _shape("age key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _shape("Azure storage key", "AccountKey=", r"AccountKey=(?P<v>[A-Za-z0-9+/]{80,90}={0,2})"),
    _shape("JWT", "eyJ", r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{5,}(?:\.[\w-]*)?"),
    _shape("private key", "-----BEGIN ", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
    _shape("password in a URL", "://", r"://[^\s:/@\"'<>]{0,128}:(?P<v>[^\s/@\"'<>]{3,256})(?=@[\w\[])"),
    _shape("bearer token", "earer EARER", r"(?i:earer)[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/-]{20,512}={0,2})"),
)
NAMES = ("passw", "passphrase", "secret", "token", "key")
"""Of settings, in small letters, whose values may be secrets."""
SETTING = re.compile(
    r"(?P<name>passwor[dt]|passwd|passphrase|secret|token|key)[\"'`]?[ \t]{0,3}(?:=>|:=|[=:])[ \t]{0,3}"
    r"(?P<quote>[\"'`]?)(?P<v>[^\s\"'`,;<>(){}\\]{8,512})(?P<next>.?)",
    re.ASCII | re.IGNORECASE,
)
KEY_OF = re.compile(r"(?:api|access|auth|account|secret|signing|encryption)[_-]?\Z")
"""What stands before `key` where it is a secret one."""
BESIDE = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
"""What the secret of an AWS key looks like: it is taken for one only near such a key."""
NEAR = 200
LONGEST = 20_000
"""Characters of a private key."""
KEY_LINES = re.compile(r"(?:[A-Za-z0-9+/=\s>|#*]|\\[nr])*")
RUN = b"a" * 20
"""The shortest key that is known by its shape has so many letters, digits, `_` and `-` in a row."""
CLASSES = bytes(97 if chr(i).isalnum() or chr(i) in "_-" else 32 for i in range(128)) + b" " * 128


def may_hold(text: str) -> bool:
    """Whether it is worth looking closer: a run as long as a key, a URL with a name in it, a password, a key block."""
    return (
        RUN in text.encode("utf-8", "surrogatepass").translate(CLASSES)
        or ("://" in text and "@" in text)
        or "assw" in text
        or "ASSW" in text
        or "PRIVATE KEY" in text
    )
