"""The shapes of keys and tokens: the letters that each kind begins with, and what it looks like from there on."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from .false_positives import is_given_password, is_likely_key, is_likely_password
from .quick_check import CLASSES, RUN, Secret


class SecretShape(NamedTuple):
    """A kind of secret, known by its own letters or by those before it."""

    kind: str
    anchors: tuple[str, ...]
    """Every one of them holds one of these, which a text is quickly searched for."""
    written: str
    """Its pattern from an anchor on. The group `v`, if there is one, is the secret itself."""
    is_secret: Callable[[str], bool] = is_given_password
    near: Literal["", "run", "option"] = ""
    """Where alone its anchors are looked for: near long runs of letters, or before options of a program."""
    chars_before: int = 0
    """Characters of it before the anchor."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """Its shape, compiled now: few texts hold an anchor, and to compile all takes a while."""
        return re.compile(self.written, re.ASCII)

    def find(self, text: str, anchor: str) -> Iterator[Secret]:
        """The texts with the shape of a secret that are likely to be one."""
        pattern, at = self.pattern, text.find(anchor, self.chars_before)
        group = "v" if "v" in pattern.groupindex else 0
        while at >= 0:
            match, end = pattern.match(text, at - self.chars_before), at + 1
            if match is not None and self.is_secret(match[group]):
                end = match.end()
                yield Secret(*match.span(group), self.kind)
            at = text.find(anchor, end)  # a placeholder may contain a secret


def _make_shape(kind: str, anchors: str, pattern: str, chars_before: int = 0) -> SecretShape:
    near: Literal["", "run"] = "run" if RUN_IN_PATTERN.search(pattern) else ""
    return SecretShape(kind, tuple(anchors.split()), pattern, is_likely_key, near, chars_before)


RUN_IN_PATTERN = re.compile(r"\[(?:\\w|[A-Za-z0-9_-])+\]\{(?:[2-9][0-9]|[0-9]{3})")
"""A part of patterns that match only with twenty letters, digits, `_` and `-` in a row."""


APART = r"(?<![A-Za-z0-9])"
SHAPES = (
    _make_shape("AWS access key", "AKIA ASIA", r"(?<![A-Za-z0-9+/])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9+/])"),
    _make_shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36,251}"),
    _make_shape("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{60,251}"),
    _make_shape(
        "GitLab token",
        "glpat- glptt- gldt- glrt- glcbt- glsoat- glft- glimt- glagent- glwt-",
        r"gl[a-z]{2,5}-[\w-]{20,300}",
    ),
    _make_shape("Slack token", "xox", APART + r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{20,300}"),
    _make_shape("Slack token", "xapp-", APART + r"xapp-[A-Za-z0-9-]{30,300}"),
    _make_shape(
        "Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/(?P<v>(?:services|workflows|triggers)/[\w/-]{30,300})"
    ),
    _make_shape("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{32,300}"),
    _make_shape("OpenRouter key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{64}"),
    _make_shape(
        "OpenAI key", "sk-", APART + r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{32,300}|[A-Za-z0-9]{32,100}(?![\w-]))"
    ),
    _make_shape("Google API key", "AIza", r"(?<![\w-])AIza[\w-]{35}(?![\w-])"),
    _make_shape("Google OAuth token", "ya29.", APART + r"ya29\.[\w-]{30,512}"),
    _make_shape("Google OAuth token", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    _make_shape("Stripe key", "sk_live_ rk_live_", r"[rs]k_live_[A-Za-z0-9]{16,250}"),
    _make_shape("Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/]{32,100}"),
    _make_shape("npm token", "npm_", r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _make_shape("PyPI token", "pypi-", r"pypi-[\w-]{50,500}"),
    _make_shape("Hugging Face token", "hf_", APART + r"hf_[A-Za-z0-9]{34,40}(?![A-Za-z0-9])"),
    _make_shape("SendGrid key", "SG.", APART + r"SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    _make_shape("Twilio key", "SK", APART + r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _make_shape("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _make_shape("Groq key", "gsk_", APART + r"gsk_[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    _make_shape("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp[a-z]{2}_[0-9a-fA-F]{32}"),
    _make_shape("Databricks token", "dapi", APART + r"dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    _make_shape("Telegram token", ":AA", r"(?<=[0-9]{8}):(?P<v>AA[\w-]{33})(?![\w-])"),
    _make_shape("age key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _make_shape("Azure storage key", "AccountKey=", r"AccountKey=(?P<v>[A-Za-z0-9+/]{80,90}={0,2})"),
    _make_shape("Azure access key", "SharedAccessKey=", r"SharedAccessKey=(?P<v>[A-Za-z0-9+/]{40,90}={0,2})"),
    _make_shape("Azure client secret", "8Q~", r"(?<=[\w.~-]{3})8Q~[\w.~-]{31,34}(?![\w.~-])"),
    _make_shape(
        "signature of a URL",
        "sig= Signature=",
        r"(?<=[?&;])(?:sig|Signature)=(?P<v>(?:[\w+/-]|%[0-9A-Fa-f]{2}){40,128}={0,2})",
    ),
    _make_shape("Discord webhook", "/api/webhooks/", r"/api/webhooks/[0-9]{15,22}/(?P<v>[\w-]{40,100})"),
    _make_shape("Discord token", "mfa.", r"(?<![\w.-])mfa\.[\w-]{60,120}"),
    _make_shape(
        "Teams webhook", "/IncomingWebhook/", r"/IncomingWebhook/(?P<v>[0-9a-f]{32}/[0-9a-f-]{36}(?:/[\w-]{1,128})?)"
    ),
    _make_shape("Google OAuth token", "1//0", r"(?<![\w/.])1//0[\w-]{40,256}"),
    _make_shape("Atlassian token", "ATATT3 ATCTT3 ATBB", r"AT(?:ATT3|CTT3|BB)[\w=-]{28,300}"),
    _make_shape("Vault token", "hvs. hvb. hvr.", r"(?<![\w.])hv[sbr]\.[\w-]{24,300}"),
    _make_shape("Terraform token", ".atlasv1.", r"(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w=-]{60,80}"),
    _make_shape("Airtable token", "pat", APART + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _make_shape("Postman key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _make_shape("New Relic key", "NRAK- NRII- NRJS- NRIQ- NRRA-", r"NR(?:AK|II|IQ|JS|RA)-[\w-]{19,42}"),
    _make_shape("Mailgun key", "key-", APART + r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _make_shape("Mailchimp key", "-us", APART + r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])", 32),
    _make_shape("New Relic key", "NRAL", APART + r"[0-9a-f]{36}NRAL(?![A-Za-z0-9])", 36),
    _make_shape(
        "Doppler token", "dp.", r"(?<![\w.])dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}"
    ),
    *(
        _make_shape(kind, start, APART + re.escape(start) + form)
        for kind, start, form in (
            ("Linear key", "lin_api_", r"[A-Za-z0-9]{40}"),
            ("Linear key", "lin_oauth_", r"[0-9a-f]{64}"),
            ("Dropbox token", "sl.", r"(?:u\.)?[\w-]{120,1400}"),
            ("Netlify token", "nfp_", r"[A-Za-z0-9]{40}"),
            ("Resend key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])"),
            ("Tavily key", "tvly-", r"(?:(?:dev|prod)-)?[A-Za-z0-9]{28,40}"),
            ("Firecrawl key", "fc-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
            ("Pinecone key", "pcsk_", r"[A-Za-z0-9]{5,6}_[A-Za-z0-9]{60,70}"),
            ("Render key", "rnd_", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
            ("Brevo key", "xkeysib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
            ("Contentful token", "CFPAT-", r"[\w-]{43}"),
            ("SonarQube token", "squ_", r"[0-9a-f]{40}"),
            ("SonarQube token", "sqp_", r"[0-9a-f]{40}"),
            ("SonarQube token", "sqa_", r"[0-9a-f]{40}"),
            ("Sourcegraph token", "sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
            ("Dynatrace token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
            ("Alibaba Cloud key", "LTAI", r"[A-Za-z0-9]{17,21}(?![A-Za-z0-9])"),
            ("Mapbox token", "sk.eyJ", r"[\w-]{60,120}\.[\w-]{22}"),
            ("Facebook token", "EAA", r"[A-Za-z0-9]{100,300}"),
            ("CircleCI token", "CCIPAT_", r"[A-Za-z0-9]{22}_[0-9a-f]{40}"),
            ("1Password token", "ops_eyJ", r"[\w-]{200,1500}"),
            ("Notion token", "ntn_", r"[A-Za-z0-9]{40,50}"),
            ("Notion token", "secret_", r"[A-Za-z0-9]{43}(?![A-Za-z0-9])"),
            ("Figma token", "figd_", r"[\w-]{40,60}"),
            ("Grafana token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
            ("Grafana token", "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}"),
            ("Sentry token", "sntrys_", r"[\w+/=-]{40,400}"),
            ("Sentry token", "sntryu_", r"[0-9a-f]{64}"),
            ("Pulumi token", "pul-", r"[0-9a-f]{40}"),
            ("PlanetScale token", "pscale_", r"(?:tkn|pw|oauth)_[\w.-]{32,64}"),
            ("Supabase key", "sbp_", r"[0-9a-f]{40}"),
            ("Supabase key", "sb_secret_", r"[\w-]{20,64}"),
            ("Replicate token", "r8_", r"[A-Za-z0-9]{37,40}(?![A-Za-z0-9])"),
            ("xAI key", "xai-", r"[A-Za-z0-9]{70,90}"),
            ("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,60}"),
            ("Cerebras key", "csk-", r"[a-z0-9]{40,60}"),
            ("NVIDIA key", "nvapi-", r"[\w-]{60,80}"),
            ("LangSmith key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
            ("Tailscale key", "tskey-", r"[a-z]{2,12}-[\w-]{20,80}"),
            ("RubyGems key", "rubygems_", r"[0-9a-f]{48}"),
            ("crates.io token", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
            ("Docker token", "dckr_pat_", r"[\w-]{24,40}"),
            ("Docker token", "dckr_oat_", r"[\w-]{24,40}"),
            ("Square token", "sq0atp-", r"[\w-]{22}"),
            ("Square token", "sq0csp-", r"[\w-]{43}"),
            ("Fly token", "fm2_", r"[\w+/=-]{60,1000}"),
            ("Cloudflare key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,160}"),
            ("Heroku key", "HRKU-", r"[\w-]{30,70}"),
        )
    ),
    _make_shape("JWT", "eyJ", r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{5,}(?:\.[\w-]*)?"),
    SecretShape(
        "password in a URL",
        ("://",),
        r"://[^\s:/@\"'<>]{0,128}:(?P<v>[^\s/@\"'<>]{3,256})(?=@[\w\[])",
        is_likely_password,
    ),
    SecretShape(
        "bearer token",
        ("earer", "EARER"),
        r"(?i:earer)[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/-]{20,512}={0,2})",
        partial(is_likely_key, least=20, mixed=True),
    ),
)
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", re.ASCII)
MAILGUN = re.compile(r"(?<![0-9A-Za-z-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])")
"""A key that begins with nothing of its own."""
NAMES = ("passw", "passphrase", "_pass", "pwd", "secret", "token", "key", "credential", "cookie", "_auth")
"""Of settings, in small letters, whose values may be secrets."""
SETTING = re.compile(
    r"(?P<name>passwor[dt]|passwd|passphrase|_pass|pwd|secret|token|key|credential|cookie|_auth)(?P<several>s?)"
    r"[\"'`]?[ \t]{0,3}(?P<sign>=>|:=|[=:]|(?<=[\"']),(?=[ \t]{0,3}[\"'])|>(?=[^\s<>]{1,256}</)"
    r"|[ \t](?=[ \t]{0,3}[\"'\w]))[ \t]{0,3}"
    r"(?P<list>\[\s{0,40}|(?<=:)(?<!cookie:)\n[ \t]{0,40}-[ \t]{1,3})?"  # a cookie has its own context
    r"(?P<quote>[\"'`]?)(?P<v>[^\s\"'`,;<>(){}\[\]\\]{1,256})(?P<next>.?)",
    re.ASCII | re.IGNORECASE,
)
MAX_VALUE_CHARS = 256
"""Characters of a value that show whether it is a secret."""
FURTHER = re.compile(
    r"[\"'`]?(?:\s{0,40},\s{0,40}|[ \t]{0,3}\n[ \t]{0,40}-[ \t]{1,3})"
    r"(?P<quote>[\"'`]?)(?P<v>[^\s\"'`,;<>(){}\[\]\\]{1,256})",
    re.ASCII,
)
"""The next in a list of values, in brackets or on a line of its own as in YAML."""
REST = re.compile(r"[^\s\"'`,;<>(){}\[\]\\]{1,4096}", re.ASCII)
"""The rest of a value that is longer than the checked part."""
OPTION_NAME = re.compile(r"(?<![\w-])--[a-z-]{0,24}\Z")
"""The characters before the name of an option, whose value may follow behind a blank."""
KEY_OF = re.compile(r"(?:api|app|access|auth|account|secret|signing|encryption|private|master|storage|shared)[_-]?\Z")
"""The words before `key` that make it a secret one."""
BESIDE = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])")
"""The shape of an AWS secret key: it counts only near such a key id."""
NEAR = 200
MAX_PRIVATE_KEY_CHARS = 20_000
"""Characters of a private key."""
KEY_LINES = re.compile(r"(?:[A-Za-z0-9+/=\s>|#*]|\\[nr])*")


MAX_BESIDE = 200
"""Characters before and behind a long run that may hold an anchor."""


def near_runs(text: str) -> str:
    """The parts of a text that may have the shape of a key: its long runs of letters, each with the text beside it."""
    letters = text.encode("ascii", "replace").translate(CLASSES)  # one byte for each character: places agree
    return windows(text, _find_runs(letters))


def _find_runs(letters: bytes) -> Iterator[tuple[int, int]]:
    """Where long runs of letters are, as keys and tokens have, each with the text beside it."""
    at = letters.find(RUN)
    while at >= 0:
        end = letters.find(b" ", at)
        end = end if end >= 0 else len(letters)
        yield at - MAX_BESIDE, end + MAX_BESIDE
        at = letters.find(RUN, end)


def windows(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The parts of a text in which keys and tokens are looked for, in order; those that overlap are joined."""
    pieces, start, stop = list[str](), 0, 0
    for first, last in spans:
        if first > stop:
            pieces.append(text[start:stop])
            start = first
        stop = max(stop, last)
    return "\0".join([*pieces, text[start:stop]])
