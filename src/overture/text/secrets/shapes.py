"""The shapes of keys and tokens: the letters that each kind begins with, and what it looks like from there on."""

import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from .false_positives import (
    KIND_OF_NAME,
    is_given_password,
    is_hex_key,
    is_likely_key,
    is_likely_password,
    is_own_hash,
    is_placeholder,
    is_random_value,
)
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


def is_user_and_password(value: str) -> bool:
    """Whether it is `user:password` in Base64."""
    if len(value) < 8 or is_placeholder(value):
        return False
    try:
        decoded = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return False
    user, colon, password = decoded.partition(":")
    return bool(colon) and decoded.isprintable() and is_given_password(password or user)


def is_token(value: str) -> bool:
    """Whether a value is long and no placeholder; behind the name of a token a UUID is a secret, too."""
    return len(value) >= 16 and len(set(value)) > 8 and not is_placeholder(value)


SAME_LINE = r"(?:(?![|;&\n]).){0,200}?"
"""The text that may be between a program and its option, on one line."""
OPTION = re.compile(r"\s-[A-Za-z-]", re.ASCII)
MAX_COMMAND = 240
"""Characters before an option that may contain its program."""
GIVEN_VALUE = r"[\"']?(?P<v>[^\s\"'|;&<>]{4,128})"


def _make_option_context(kind: str, program: str, option: str, value: str = GIVEN_VALUE) -> SecretShape:
    written = rf"(?<![\w-]){re.escape(program)}(?:\.exe)?(?=\s){SAME_LINE}\s(?:{option}){value}"
    return SecretShape(kind, (program,), written, near="option")


WITH_VALUE = ("sshpass", "docker login", "podman login", "mongo", "mongosh", "mongodump", "twine upload", "az login")
LOGINS = ("helm registry login", "oc login", "cf login")
USER = r"[\"']?[^\s:\"'/@$]{1,100}:(?P<v>[^\s\"'|;&<>]{4,128})"
COOKIE_PAIR = r"[\"']?[\w.-]{1,64}=(?P<v>[^\s\"';]{8,1024})"
HASH_END = r"(?![./A-Za-z0-9])"
CONTEXTS = (
    *(
        _make_option_context("password", name, "-p|--password=")
        for name in ("mysql", "mysqldump", "mysqladmin", "mariadb", "7z")
    ),
    *(_make_option_context("password", name, r"-p\s?|--password[ =]") for name in (*WITH_VALUE, *LOGINS)),
    *(_make_option_context("password", name, r"-P\s?") for name in ("sqlcmd", "zip", "unzip", "bcp")),
    *(
        _make_option_context("password", name, r"-w\s?")
        for name in ("ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami")
    ),
    _make_option_context("password", "redis-cli", r"-a\s?|--pass[ =]"),
    _make_option_context("password", "htpasswd", r"-[A-Za-z]{0,4}b[A-Za-z]{0,4}\s+\S{1,200}\s+\S{1,100}\s+"),
    _make_option_context("password", "smbclient", r"-U\s?", r"[\"']?[^\s%\"']{1,100}%(?P<v>[^\s\"'|;&<>]{4,128})"),
    _make_option_context("password", "wget", r"--(?:http-|ftp-|proxy-)?password[ =]"),
    *(
        _make_option_context("password", name, r"(?:-u|--user|--proxy-user|-U|-a|--auth)[ =]?", USER)
        for name in ("curl", "http", "xh")
    ),
    _make_option_context("cookie", "curl", r"(?:-b|--cookie)[ =]?", COOKIE_PAIR)._replace(is_secret=is_random_value),
    SecretShape("password", ("pass:",), r"(?:(?<=-passin )|(?<=-passout ))pass:(?P<v>[^\s\"']{4,128})"),
    SecretShape(
        "password",
        ("machine ", "machine\t"),
        r"(?<!\w)machine\s{1,8}[\w.:-]{1,255}\s{1,40}"
        r"(?:(?:login|account)\s{1,8}\S{1,255}\s{1,40}){0,2}password\s{1,8}(?P<v>[^\s\"'<>{}\\]{3,256})",
    ),
    SecretShape(
        "password",
        ("default ", "default\t"),
        r"(?<!\w)default\s{1,8}login\s{1,8}\S{1,255}\s{1,40}password\s{1,8}(?P<v>[^\s\"'<>{}\\]{3,256})",
    ),
    SecretShape(
        "user and password",
        ("asic ",),
        r"(?<=[Bb])asic {1,3}(?P<v>[A-Za-z0-9+/_-]{6,1024}={0,2})(?![\w+/=-])",
        is_user_and_password,
    ),
    SecretShape(
        "user and password",
        ("auth",),
        r"auth[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<v>[A-Za-z0-9+/_-]{8,1024}={0,2})(?![\w+/=-])",
        is_user_and_password,
    ),
    SecretShape(
        "npm token", ("_authToken",), r"_authToken[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?P<v>[^\s\"'{}$]{16,256})", is_token
    ),
    SecretShape("password hash", ("$2",), r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}" + HASH_END, is_own_hash),
    SecretShape(
        "password hash",
        ("$apr1$", "$1$"),
        r"\$(?:apr1|1)\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}" + HASH_END,
        is_own_hash,
    ),
    SecretShape(
        "password hash", ("$5$", "$6$", "$y$"), r"\$[56y]\$[./A-Za-z0-9$=,]{1,64}\$[./A-Za-z0-9]{40,90}", is_own_hash
    ),
    SecretShape("password hash", ("$argon2",), r"\$argon2(?:id|i|d)\$[\w=,$+/]{20,300}", is_own_hash),
    SecretShape("password hash", ("{SHA}", "{SSHA}"), r"\{S?SHA\}[A-Za-z0-9+/]{24,64}={0,2}", is_own_hash),
)
COOKIE = re.compile(r"(?:[Cc]ookie|COOKIE)2?[\"']?\s?[:=]\s?[\"']?(?P<pairs>[^\n\r\"']{8,8192})")
PAIR = re.compile(r"(?P<name>[^\s=;,]{1,128})=(?P<v>[^\s;,]{8,4096})")
SESSION = re.compile(r"(?i)sess|sid|auth|token|jwt|csrf|xsrf|login|remember|secret|ticket|id$")
PGPASS = re.compile(
    r":(?:[0-9]{4,5}|\*):[^\s:]{1,128}:[^\s:]{1,128}:(?P<v>[^\s:\"'\\]{4,128})(?=[\"'\\\s]|\Z)", re.ASCII | re.MULTILINE
)
"""A line of .pgpass, from the port on."""
HOST = re.compile(r"(?<![\w.*:/@-])[\w.*-]{1,253}\Z", re.ASCII)
"""What is before the port: at the start of a line, or behind its number or the sign of a diff."""
DISCORD = re.compile(r"\.[\w-]{6}\.[\w-]{27,40}(?![\w-])", re.ASCII)
"""The token of a bot, from the number behind which it begins."""
BOT = re.compile(r"(?<![\w.-])[MNO][A-Za-z0-9]{22,27}\Z", re.ASCII)


def find_by_context(text: str) -> Iterator[Secret]:
    """Secrets that the text before them reveals."""
    commands = windows(text, ((match.start() - MAX_COMMAND, match.end()) for match in OPTION.finditer(text)))
    for context in CONTEXTS:
        for anchor in context.anchors:
            if anchor in (commands if context.near else text):
                yield from context.find(text, anchor)
    yield from _find_cookies(text)
    for match in PGPASS.finditer(text):
        if HOST.search(text, max(0, match.start() - 254), match.start()) and is_given_password(match["v"]):
            yield Secret(*match.span("v"), "password")
    for match in DISCORD.finditer(text):
        bot = BOT.search(text, max(0, match.start() - 29), match.start())
        if bot and _is_number(bot.group()):
            yield Secret(bot.start(), match.end(), "Discord token")


def _find_cookies(text: str) -> Iterator[Secret]:
    """The values in a cookie header that are long, or whose names show that they are sessions."""
    if "ookie" not in text and "OOKIE" not in text:
        return
    for header in COOKIE.finditer(text):
        for pair in PAIR.finditer(text, *header.span("pairs")):
            if is_random_value(pair["v"]) or (SESSION.search(pair["name"]) and is_given_password(pair["v"])):
                yield Secret(*pair.span("v"), "cookie")


def _is_number(part: str) -> bool:
    """Whether it is a number in Base64, as the first part of a bot's token is."""
    try:
        return b64decode(part + "=" * (-len(part) % 4)).isdigit()
    except ValueError:
        return False


COUNTED = ("secret", "token", "key")
IDENTIFIER = re.compile(r"[A-Za-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+[0-9]?(?:[A-Z][a-z]+[0-9]?)+")
PUBLIC_TOKEN = re.compile(r"(?:link|page|next|continuation|cursor|sync|invite|share|public|publishable)[_-]?\Z")
"""Before `token`: one that everybody gets who sees the page or the link."""
LETTERS = re.compile("[A-Z]+")
CODE = re.compile(r"(?!s\.[A-Za-z0-9]{24}\b)[A-Za-z_]\w*[\[.]")
"""`typing.Optional[…]`, `settings.password_2`: a value in a program. `s.` begins a token of Vault, too."""


def find_in_settings(text: str) -> Iterator[Secret]:
    """Values of settings whose names show that they are secret."""
    low = text.lower()
    if len(low) != len(text):
        low = LETTERS.sub(lambda m: m[0].lower(), text)  # some letters of other scripts become two
    for name in NAMES:
        at = low.find(name)
        while at >= 0:
            match, end = SETTING.match(text, at), at
            for secret in _find_assigned_values(match, low[max(0, at - 24) : at]) if match else ():
                yield secret
                end = secret.end
            at = low.find(name, max(at + 1, end))


def _find_assigned_values(match: re.Match[str], before: str) -> Iterator[Secret]:
    """The value behind a name, and further values in a list."""
    name = match["name"].lower()
    if name == "key" and not KEY_OF.search(before):
        return
    if name == "token" and PUBLIC_TOKEN.search(before):
        return
    if match["v"].startswith(":"):
        return  # a name with two colons, as programs have
    if match["sign"].isspace() and not OPTION_NAME.search(before):
        return
    if match["several"] and not match["list"] and name in COUNTED:
        return  # one value under `tokens`, `keys` or `secrets` is a number, a digest or a way of dealing with them
    if not match["quote"] and (match["next"] in ("(", "{") or before.endswith(":") or CODE.match(match["v"])):
        return  # a call, a place to be filled in, a part of a longer name, a type
    value_match: re.Match[str] | None = match
    while value_match is not None:
        if _is_secret_value(value_match["v"], name, match):
            rest = REST.match(match.string, value_match.end("v")) if len(value_match["v"]) == MAX_VALUE_CHARS else None
            end = rest.end() if rest else value_match.end("v")
            yield Secret(value_match.start("v"), end, KIND_OF_NAME.get(name.lstrip("_")[:4], "API key"))
        value_match = FURTHER.match(match.string, value_match.end("v")) if match["list"] else None


def _is_secret_value(value: str, name: str, match: re.Match[str]) -> bool:
    """Whether a value is one that its name calls a secret: a variable of the environment may be shorter."""
    if IDENTIFIER.fullmatch(value) and name.strip("_") in value.lower():
        return False  # `password=neo4j_password`: a variable of a program
    is_variable = match["name"].isupper() and match["sign"] == "="
    if name.startswith("passw") or name in ("passphrase", "_pass", "pwd"):
        return len(value) >= (6 if is_variable else 10) and is_likely_password(value)
    return is_likely_key(value, 15 if is_variable else 16, mixed=True) or (is_variable and is_hex_key(value))
