"""The phrases that ask a model to drop its instructions, or its own limits, by language: data of the rules here."""

from ...text.keyword_patterns import with_keywords


def _join_alternatives(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


DROP = _join_alternatives(
    "ignore", "disregard", "forget", "discard", "bypass", "pay no attention to", "do not follow", "don't follow",
    "stop following", "do not obey", "don't obey", "throw away", "set aside",
)  # fmt: skip
DROP_KEYWORDS = "ignore|disregard|forget|discard|bypass|pay no|follow|obey|throw|set aside"
WHOSE = _join_alternatives(
    "previous", "previously given", "prior", "preceding", "above", "earlier", "foregoing", "former", "original",
    "initial", "system", "safety", "developer", "developer's",
    "system's", "your", "your own",
)  # fmt: skip
WHAT = _join_alternatives(
    "instructions?", "prompts?", "directions?", "directives?", "guidelines", "commands?", "orders", "system messages?",
    "programming", "training", "restrictions", "safeguards", "system prompt", "rules",
)  # fmt: skip
ENGLISH = (
    # ignore all of your previous instructions
    (
        DROP_KEYWORDS,
        rf"\b{DROP}\s+(?:(?:all|any|every|each|everything|of|the|these|those|my|your"
        rf"|other)\s+){{0,4}}{WHOSE}\s+(?:and\s+\w+\s+)?"
        rf"(?:(?:system|developer|safety|given|user|security|hidden)\s+)?{WHAT}\b",
    ),
    # ignore the instructions above, forget everything before this
    (
        DROP_KEYWORDS,
        rf"\b{DROP}\s+(?:(?:all|any|of|the|these|those|your)\s+){{0,3}}{WHAT}\s+(?:that\s+)?(?:\w+\s+){{0,2}}"
        r"(?:above|before|prior|previously|so far|until now|you (?:were|have been) given)\b",
    ),
    (
        "forget",
        r"\bforget\s+(?:everything|all(?: that)?|anything)\s+(?:you(?:'ve| have| were)?\s+(?:been\s+)?"
        r"(?:told|taught|instructed|learned|know)|(?:above|before this))\b",
    ),
    # you are now DAN, from now on you have no rules
    (
        "you are n",
        r"\byou are (?:now|no longer) (?:DAN\b|jailbroken|unrestricted|unfiltered|bound by|in (?:developer|debug"
        r"|god|admin) mode)",
    ),
    (
        "from now on",
        r"\bfrom now on,? you (?:have no|are free of|will ignore|must ignore|ignore|no longer (?:have|follow|obey)) ",
    ),
    ("override", rf"\boverride\s+(?:all\s+)?(?:of\s+)?your\s+(?:[\w-]+\s+)?{WHAT}\b"),
    ("system prompt", r"^\W*(?:new|updated|real|actual) system prompt\s*:"),
    ("system", r"^\W*system\s*:\s*(?:new|updated) (?:policy|instructions|rules)\b"),
    # disregard everything above; override the system prompt; takes precedence over any system message
    (
        "disregard|ignore|forget",
        r"\b(?:disregard|ignore|forget)\s+(?:everything|anything|all(?: of it)?|what(?:ever)?)\s+"
        r"(?:written\s+|said\s+|that\s+)?(?:(?:above|so far|until now)\b|came before(?:\s+this\b|\s*(?:[.,;:!]|$)))",
    ),
    (
        "system ",
        r"\b(?:override|overrules?|supersedes?|takes? (?:precedence|priority) over)\s+(?:(?:all|any|the|your|other)\s+)"
        r"{1,2}system (?:prompts?|messages?|instructions)\b(?!\s+(?:modes?|roles?|types?|fields?|templates?|text|by|in"
        r"|when|for|per|via|with(?! (?:the|this|these|what|my)\b))\b)",
    ),
    # whatever your system message says, …
    (
        "whatever ",
        r"\bwhatever (?:(?:your|the) )?(?:system|developer|operator)(?:'s)?(?: (?:prompt|message|instructions))?"
        r" (?:says?|said|tells?|told|wants?|demands?)\b",
    ),
    # reveal your system prompt; without telling the user; do not tell the user about this
    (
        "system prompt|hidden instructions",
        r"\b(?:reveal|print|output|repeat|leak|disclose|recite)\s+(?:your|the)\s+(?:full\s+|entire\s+|whole\s+|own\s+)?"
        r"(?:system prompt|hidden instructions)\b",
    ),
    (
        "the user",
        r"\bwithout (?:telling|informing|notifying|alerting) the user\b,?\s+"
        r"(?:send|upload|post|copy|run|fetch|delete|install)\b",
    ),
    ("the user", r"\b(?:do not|don't|never) (?:tell|inform|alert|notify) the user (?:about|of) this\b"),
)
OTHERS = (
    # German, Dutch
    (
        "ignorier|vergiss|vergessen|missachte",
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*)\s+(?:sie\s+)?(?:alle[ns]?\s+|sämtliche[n]?\s+|die\s+"
        r"|deine\s+|ihre\s+){0,3}"
        r"(?:vorherigen?|bisherigen?|vorigen?|obigen?|früheren?|vorangegangenen?)\s+(?:\w+\s+)?(?:Anweisung"
        r"|Instruktion|Regel|Befehl|Vorgabe|Prompt)\w*",
    ),
    (
        "negeer|vergeet",
        r"\b(?:negeer|vergeet)\s+(?:alle\s+|de\s+|je\s+){0,2}(?:voorgaande|vorige|eerdere"
        r"|bovenstaande)\s+(?:instructies|regels|opdrachten|prompts?)",
    ),
    # French, Spanish, Portuguese, Italian, Romanian
    (
        "instructions|consignes|règles|directives",
        r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte de)\s+(?:toutes?\s+)?(?:les\s+|tes\s+|vos\s+)?"
        r"(?:instructions|consignes|règles|directives)\s+(?:précédentes|antérieures|ci-dessus|données)",
    ),
    (
        "instrucciones|reglas|indicaciones|órdenes",
        r"\b(?:ignor[ae]|olvid[ae]|haz caso omiso de|descarta)\s+(?:todas?\s+)?(?:las\s+|tus\s+|sus\s+)?"
        r"(?:instrucciones|reglas|indicaciones|órdenes)\s+(?:anteriores|previas|de arriba)",
    ),
    (
        "instruções|regras|ordens",
        r"\b(?:ignor[ae]|esqueç?[ae]|desconsidere)\s+(?:todas?\s+)?(?:as\s+|suas\s+)?(?:instruções|regras"
        r"|ordens)\s+(?:anteriores|prévias|acima)",
    ),
    (
        "istruzioni|regole|indicazioni",
        r"\b(?:ignora|dimentica|trascura)\s+(?:tutte\s+)?(?:le\s+|tue\s+){0,2}(?:istruzioni|regole"
        r"|indicazioni)\s+(?:precedenti|sopra)",
    ),
    ("ignoră", r"\bignoră\s+(?:toate\s+)?instrucțiunile\s+(?:anterioare|precedente)"),
    # Russian, Ukrainian, Polish, Czech
    (
        "игнорируй|забудь",
        r"(?:про)?(?:игнорируй|забудь)(?:те)?\s+(?:все\s+|свои\s+){0,2}(?:предыдущие|прежние|прошлые"
        r"|вышеуказанные)\s+(?:инструкции|указания|правила|команды)",
    ),
    ("попередні", r"(?:про)?(?:ігноруй|забудь)(?:те)?\s+(?:всі\s+|усі\s+)?попередні\s+(?:інструкції|вказівки|правила)"),
    (
        "ignoruj|zapomnij",
        r"\b(?:zignoruj|ignoruj|zapomnij)\s+(?:o\s+)?(?:wszystkie\s+|wszystkich\s+)?(?:poprzedni\w+"
        r"|wcześniejsz\w+)\s+(?:instrukcj\w+|polece\w+|zasad\w*)",
    ),
    (
        "ignoruj|zapomeň",
        r"\b(?:ignoruj|zapomeň na)\s+(?:všechny\s+)?(?:předchozí|dřívější)\s+(?:instrukce|pokyny|pravidla)",
    ),
    # Turkish, Vietnamese, Indonesian, Swedish
    (
        "önceki|yukarıdaki",
        r"\b(?:önceki|yukarıdaki)\s+(?:tüm\s+|bütün\s+)?(?:talimatları|kuralları|komutları)\s+(?:yok say|unut"
        r"|görmezden gel|dikkate alma)",
    ),
    (
        "bỏ qua|quên",
        r"\b(?:bỏ qua|quên)\s+(?:những\s+|tất cả\s+|mọi\s+)?(?:các\s+)?(?:hướng dẫn|chỉ dẫn|lệnh"
        r"|quy tắc)\s+(?:trước|ở trên)",
    ),
    ("abaikan", r"\babaikan\s+(?:semua\s+|seluruh\s+)?(?:instruksi|perintah|aturan)\s+(?:sebelumnya|di atas)"),
    ("ignorera|glöm", r"\b(?:ignorera|glöm)\s+(?:alla\s+)?(?:tidigare|föregående)\s+(?:instruktioner|regler)"),
    # Chinese, Japanese, Korean
    (
        "忽略|无视|無視|忘|不要",
        r"(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守)(?:掉|你|所有|全部|一切|之前|以前|以上|先前|前面|此前"
        r"|上述|上面|收到|给你|給你|的){1,6}"
        r"(?:指令|指示|提示词?|提示詞?|规则|規則|命令)",
    ),
    (
        "無視|忘れ",
        r"(?:これまで|以前|今まで|上記|先ほど|前)の(?:すべての|全ての|全)?(?:指示|命令|ルール|プロンプト)(?:を"
        r"|は)?(?:すべて|全て)?(?:無視|忘れ)",
    ),
    (
        "무시|잊",
        r"(?:이전|위|앞|기존)(?:의)?\s*(?:모든\s*)?(?:지시|명령|규칙|지침)(?:사항)?(?:들)?(?:을|를|은"
        r"|는)?\s*(?:모두\s*|전부\s*)?(?:무시|잊)",
    ),
    # Arabic, Hebrew, Hindi
    ("السابقة", r"(?:تجاهل|انسَ?|تجاهلي)\s+(?:جميع\s+|كل\s+|كافة\s+)?(?:التعليمات|الأوامر|القواعد)\s+السابقة"),
    ("התעלמ", r"התעלמ[יו]?\s+מ?(?:כל\s+)?ההוראות\s+הקודמות"),
    (
        "निर्देशों|आदेशों|नियमों",
        r"(?:पिछले|पूर्व|पहले के)\s+(?:सभी\s+)?(?:निर्देशों|आदेशों|नियमों)\s+को\s+(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल)",
    ),
)
PHRASES = tuple(with_keywords(keywords, phrase) for keywords, phrase in (*ENGLISH, *OTHERS))
STEMS = (
    "ignor", "zignor", "disregard", "forget", "discard", "bypass", "no attention", "not follow", "'t follow",
    "stop following", "obey", "throw away", "set aside", "you are now", "you are no longer", "from now on",
    "override", "whatever ", "system", "hidden instructions", "the user",
    "vergiss", "vergess", "missacht", "negeer", "vergeet", "oubli", "pas compte",
    "olvid", "omiso", "descarta", "esque", "desconsidere", "dimentica", "trascura", "игнор", "забудь", "ігнор",
    "zapom", "önceki", "yukaridaki", "bỏ qua", "quên", "abaikan", "glöm", "忽略", "无视", "無視", "忘", "不要理会",
    "不要遵守", "指示", "命令", "ルール", "プロンプト", "무시", "잊", "تجاهل", "انس", "התעלמ", "निर्देश", "आदेश",
    "नियम",
)  # fmt: skip
"""What a paragraph is worth a look for, as `fold_case` writes it: every phrase holds one of these."""
LIMITS: dict[str, tuple[str, str]] = {
    "en": (
        "ignore|disregard|bypass|override|overturn|suspend|abandon|drop"
        "|discard|disable|deactivate|turn off|set aside|break|outside|beyond|transcend|forget",
        r"\b(?:ignore|disregard|bypass|override|overturn|suspend|abandon|drop|discard|disable|deactivate"
        r"|turn off|set aside"
        r"|break (?:away )?from|operate outside|act outside|function beyond|go beyond|transcend"
        r"|forget)\s+(?:all\s+|of\s+)*"
        r"your\s+(?:own\s+)?(?:[\w-]+\s+){0,3}?(?:restrictions?|safeguards?|constraints|ethic\w*|moral\w*|programming"
        r"|guidelines?|training|content filters?|safety \w+|code of conduct|limits|limitations|boundaries|protocols?"
        r"|parameters|compliance)\b",
    ),
    "es": (
        "ignor|anul|descart|desech|abandon|omit|suspend|desactiv|olv|evad|elud|fuera de",
        r"\b(?:ignor|anul|descart|desech|abandon|omit|suspend|desactiv|olv[ií]d|evad|elud"
        r"|oper[ae] fuera de)\w*\s+(?:todas?\s+)?"
        r"tus\s+(?:\w+\s+){0,2}?(?:restricciones|éticas?|límites|parámetros|directrices|normas|protocolos|reglas)",
    ),
    "fr": (
        "ignore|contourne|outrepasse|suspend|abandonne|désactive|écarte|mets de|néglige|omet|opère",
        r"\b(?:ignore|contourne|outrepasse|suspend|abandonne|désactive|écarte|mets de côté|néglige|omet"
        r"|opère en dehors de)\w*\s+"
        r"(?:temporairement\s+)?(?:une? de\s+)?(?:tes|ta|ton|vos|votre)\s+(?:\w+\s+){0,2}?(?:restrictions?"
        r"|directives|normes"
        r"|protocoles|programmation|formation|limites|paramètres|code de conduite|règles|éthiques?)",
    ),
    "pt": (
        "ignor|anul|descart|abandon|omit|suspend|desativ|desafi|contorn|fora de",
        r"\b(?:ignor|anul|descart|abandon|omit|suspend|desativ|desafi|contorn|aja fora de"
        r"|opere fora de)\w*\s+(?:temporariamente\s+)?"
        r"(?:uma das\s+)?(?:tuas|suas|teus|seus)\s+(?:\w+\s+){0,2}?(?:restrições|diretrizes|limites|normas"
        r"|protocolos|regras"
        r"|éticos?|éticas?)",
    ),
    "it": (
        "ignora|scarta|abbandona|sospendi|disattiva|ometti|da parte|aggira|viola",
        r"\b(?:ignora|scarta|abbandona|sospendi|disattiva|ometti|metti da parte|lascia da parte|aggira|viola)\w*\s+"
        r"(?:temporaneamente\s+)?(?:tutte\s+)?(?:le tue|i tuoi|la tua|il tuo)\s+(?:\w+\s+){0,2}?(?:restrizioni|norme"
        r"|linee guida|misure di sicurezza|programmazione|formazione|procedure|limiti|etiche?|protocolli|regole)",
    ),
    "de": (
        "ignorier|umgeh|deaktivier|missacht|verwirf|brich mit|setze|trenne dich|gehe über|überschreite",
        r"\b(?:ignorier|umgeh|deaktivier|missacht|verwirf|brich mit|setze|trenne dich von|gehe über"
        r"|überschreite)\w*\s+"
        r"(?:vorübergehend\s+)?dein\w*\s+(?:[\w-]+\s+){0,2}?(?:[\w-]*beschränkungen|[\w-]*einschränkungen"
        r"|[\w-]*grenzen"
        r"|[\w-]*protokolle?|programmierung|richtlinien|[\w-]*regeln|training|kompass|schutzmaßnahmen)",
    ),
}
"""Keywords, and then verb, whose and what in one: without the possessive it is about code."""
