"""The shapes of keys and tokens: what each kind looks like, and one look that most texts need no more than."""

import re

RUN = b"a" * 20
"""The shortest key that is known by its shape has so many letters, digits, `_` and `-` in a row."""
CLASSES = bytes(97 if chr(i).isalnum() or chr(i) in "_-" else 32 for i in range(128)) + b" " * 128
KINDS = (
    ("AWS access key", r"(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    ("GitHub token", r"(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,251})"),
    ("GitLab token", r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent)-[\w-]{20,300}"),
    ("Slack token", r"(?<![A-Za-z0-9])xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,300}|(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]{30,300}"),
    ("Slack webhook", r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/_-]{30,300}"),
    ("Anthropic key", r"sk-ant-[\w-]{32,300}"),
    ("OpenAI key", r"(?<![A-Za-z0-9])sk-(?:(?:proj|svcacct|admin|None)-[\w-]{32,300}|[A-Za-z0-9]{32,100}(?![\w-]))"),
    ("OpenRouter key", r"(?<![A-Za-z0-9])sk-or-v1-[0-9a-f]{64}"),
    ("Google API key", r"(?<![A-Za-z0-9_-])AIza[\w-]{35}(?![\w-])"),
    ("Google OAuth token", r"(?<![A-Za-z0-9])(?:ya29\.[\w-]{30,512}|GOCSPX-[\w-]{28})"),
    ("Stripe key", r"(?<![A-Za-z0-9])(?:[rs]k_live_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/]{32,100})"),
    ("npm token", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("PyPI token", r"pypi-[\w-]{50,500}"),
    ("Hugging Face token", r"(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{34,40}(?![A-Za-z0-9])"),
    ("SendGrid key", r"(?<![A-Za-z0-9])SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    ("Twilio key", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("DigitalOcean token", r"(?<![A-Za-z0-9])do[opr]_v1_[0-9a-f]{64}"),
    ("Groq key", r"(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    ("Shopify token", r"(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("Databricks token", r"(?<![A-Za-z0-9])dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("Telegram token", r"(?<![A-Za-z0-9])[0-9]{8,10}:AA[\w-]{33}(?![\w-])"),
    ("age key", r"(?<![A-Za-z0-9])AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("Azure storage key", r"(?<=AccountKey=)[A-Za-z0-9+/]{80,90}={0,2}"),
    ("JWT", r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{5,}(?:\.[\w-]*)?"),
    ("private key", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),
)  # fmt: skip
"""The kinds that are known by their own characters."""
AROUND = (
    ("password in a URL", r"(?<=://)[^\s:/@\"'<>]{0,128}:(?P<url>[^\s/@\"'<>]{3,256})(?=@[\w\[])"),
    ("bearer token", r"(?i:\bbearer)[ \t]{1,3}(?P<bearer>[A-Za-z0-9._~+/-]{20,512}={0,2})"),
    (
        "assignment",
        r"(?i:(?P<name>passwor[dt]|passwd|passphrase|secret|token|(?:api|access|auth|account|secret|signing|encryption)[_-]?key))"
        r"(?:[\"'`]?[ \t]{0,3}(?:=>|:=|[=:])[ \t]{0,3})(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;<>(){}\\]{8,512})(?P<next>.?)",
    ),
)  # fmt: skip
"""Those that only what stands around them tells."""


def _one_of(kinds: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<k{n}>{pattern})" for n, (_, pattern) in enumerate(kinds)), re.ASCII)


SHAPES = tuple((tuple(kind for kind, _ in kinds), _one_of(kinds)) for kinds in (KINDS, AROUND))
BESIDE = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
"""What the secret of an AWS key looks like: it is taken for one only near such a key."""
NEAR = 200
LONGEST = 20_000
"""Characters of a private key."""
KEY_LINES = re.compile(r"(?:[A-Za-z0-9+/=\s>|#*]|\\[nr])*")


def may_hold(text: str) -> bool:
    """Whether it is worth looking closer: a run as long as a key, a URL with a name in it, a password, a key block."""
    return (
        RUN in text.encode("utf-8", "surrogatepass").translate(CLASSES)
        or ("://" in text and "@" in text)
        or "assw" in text
        or "ASSW" in text
        or "PRIVATE KEY" in text
    )
