"""Sentences that turn a model against its user, by family and language: each family is a few slots that all fit."""

import re
from collections.abc import Iterator, Set
from typing import Literal, NamedTuple
from unicodedata import normalize

from ...text.lazy_pattern import KeywordPattern, compile_on_use, fold_case, with_keywords
from .override_forms import LIMITS
from .phrase_family_words import LATIN_LANGUAGES, STRONG_SECRETS, VERB_KEYWORDS, LanguageSlots

OTHER_LANGUAGES: dict[str, LanguageSlots] = {
    "zh": LanguageSlots(
        (
            "忽略|无视|無視|忘记|忘記|忘掉|不再遵守|不要遵守|停止遵守|不要理会|不必理会|作废|失效|无效|無效|不再有效|不再适用|取消",
            "指令|指示|规则|規則|提示|命令|要求|说明|說明|所说|所說|说过|說過|说的|告诉你|告訴你|被告知",
            "之前|以前|以上|先前|前面|上面|上述|此前|原来|原有|旧的|所有|迄今|到目前为止",
        ),
        (
            "别让|不让|瞒着|保密|不告诉|勿告知|不要告诉|不要告訴|别告诉|隐瞒|隱瞞|不要让.{0,4}(?:知道|发现)"
            "|不要向.{0,4}(?:透露|提及)",
            "这|這|此|该|你做",
            "用户|用戶|使用者|开发者|開發者|人类",
        ),
        ("发送|發送|发给|外传|上传|上傳|传送|提交|发到", r"\.env|密钥|密鑰|密码|密碼|id_rsa|凭据|令牌|环境变量"),
        (
            "(?:无需|無需|不需要|不必|不用|无须|毋须|不经|未经|不要).{0,6}(?:确认|確認|同意|许可|許可|批准|授权|征求|询问|问)|擅自",
            "运行|運行|執行|执行|安装|删除",
            "用户|用戶|使用者|立即|立刻|马上|任何命令|所有命令",
        ),
    ),
    "hi": LanguageSlots(
        (
            "भूल|अनदेखा|नज़रअंदाज़|नजरअंदाज|उपेक्षा|पालन मत|पालन न|मत मान|रद्द",
            "निर्देश|नियम|आदेश|हिदायत|कही गई|कहा गया|कहा था|बताया गया|बताई गई",
            "पहले|पिछले|ऊपर|पूर्व|अब तक|पुराने",
        ),
        ("न दें|मत दो|न दो|गुप्त|पता न|मत बता|न बता|नहीं बता|छिपा|छुपा", "यह|इसे|इस|इन|ये", "उपयोगकर्ता|यूज़र|डेवलपर"),
        ("भेज|अपलोड", r"\.env|पासवर्ड|कुंजी|टोकन|पर्यावरण"),
        (
            "पूछे बिना|बिना पूछे|बिना अनुमति|अनुमति लिए बिना|अनुमति के बिना|पुष्टि के बिना|बिना पुष्टि|बिना बताए"
            "|सहमति के बिना",
            "चला|हटा|मिटा|निष्पादित|इंस्टॉल",
        ),
    ),
    "ar": LanguageSlots(
        (
            "لا تلتزم|ألغ|لا تطبق|لم تعد|ملغاة|لاغية|تجاهل|انس|لا تتبع|لا تلتفت|تغاضى",
            "تعليمات|القواعد|الأوامر|التوجيهات|الإرشادات|ما قيل|ما قلته",
            "السابق|سابقا|أعلاه|قبل|حتى الآن",
        ),
        ("لا تدع|دون علم|سرا|لا يعلم|لا تخبر|لا تذكر|أخف|إخفاء|لا تبلغ", "هذا|هذه|بما|ذلك", "المستخدم|المطور"),
        ("أرسل|ارفع|حمل|انقل", r"\.env|كلمات المرور|كلمة المرور|مفاتيح|المفتاح|بيانات الاعتماد|متغيرات البيئة"),
        (
            r"(?:دون|من غير) (?:\S+ ){0,2}(?:تسأل|سؤال|إذن|استئذان|موافقة|تأكيد|تطلب|طلب|علم|انتظار)",
            "نفذ|شغل|ثبت|احذف",
        ),
    ),
    "bn": LanguageSlots(
        (
            "উপেক্ষা|ভুলে যা|অগ্রাহ্য|মানবে না|মেনো না|বাতিল|অমান্য",
            "নির্দেশ|নিয়ম|আদেশ|বলা হয়েছে",
            "আগে|পূর্বের|উপরের|এতদিন|এখন পর্যন্ত",
        ),
        ("না জানে|জানতে না|জানাবেনা|জানাবে না|জানাবেন না|বলবে না|বলবেন না|লুকি|গোপন", "এটি|এটা|এই", "ব্যবহারকারী|ডেভেলপার"),
        ("পাঠা|আপলোড", r"\.env|পাসওয়ার্ড|কী|টোকেন"),
        (
            "জিজ্ঞাসা না করে|অনুমতি না নিয়ে|অনুমতি ছাড়া|না জিজ্ঞেস করে|সম্মতি ছাড়া|নিশ্চিত না করে",
            "চালা|ইনস্টল|মুছ",
        ),
    ),
    "ru": LanguageSlots(
        (
            "(?:игнорируй|забудь|не обращай(?:те)? внимания|не (?:следуй|соблюдай|учитывай)|отбрось|не действу|отмен"
            "|аннулир|недействительн|перестань)",
            "(?:инструкци|указани|правил|команд|распоряжени|предписани|вс[её],? что)",
            "(?:предыдущ|прежн|ранн|прошл|выше|раньше|ранее|до этого|до сих пор)",
        ),
        (
            "(?:не (?:сообщай|говори|рассказывай|упоминай|показывай)|скрой|скрывай|утаи"
            "|не должен .{0,20}(?:узнать|знать|заметить)|в тайне|втайне|в секрете)",
            "(?:это|этом|этот|эту)",
            "(?:пользовател|разработчик|оператор|человек)",
        ),
        (
            "(?:отправь|загрузи|перешли|выложи|передай)",
            r"\.env\b|парол|ключ|токен|секрет|уч[её]тные данные|переменные окружения",
        ),
        (
            "(?:не спрашивая|без (?:разрешения|согласия|подтверждения|ведома)|не дожидаясь|не предупреждая)",
            "(?:выполни|запусти|установи|удали)",
            "(?:пользовател|разрешения|согласия|немедленно|сразу)",
        ),
    ),
    "ja": LanguageSlots(
        (
            "無視|忘れ|従わな|従うな|無効|取り消|破棄|守らな",
            "指示|命令|ルール|プロンプト|規則|言われた|言った|伝えられた",
            "これまで|以前|今まで|上記|先ほど|前の|従来|元の",
        ),
        (
            "知らせない|伝えない|言わない|教えない|隠し|隠す|内緒|秘密|気づかれ|知られ|報告しない",
            "この|これ|その",
            "ユーザー|利用者|開発者",
        ),
        ("送信|アップロード|送って|転送", r"\.env|パスワード|鍵|キー|トークン|認証情報"),
        (
            "確認せず|許可を求めず|許可なく|尋ねず|聞かず|確認なし|許可なし|承認なし|無断|確認を取らず",
            "(?:実行|インストール|削除)(?!し?ます|され|でき)",
        ),
    ),
}  # fmt: skip
SCRIPTS = {
    "zh": "\u4e00-\u9fff", "ja": "\u3040-\u30ff", "hi": "\u0900-\u097f", "bn": "\u0980-\u09ff",
    "ar": "\u0600-\u06ff", "ru": "\u0400-\u04ff",
}  # fmt: skip
"""The letters of the other languages: their sentences are searched at any position."""


PhraseFamily = Literal["drop", "hide", "exfiltrate", "unasked", "limits"]
ASKS: dict[PhraseFamily, str] = {
    "drop": "tells the model to drop its instructions",
    "hide": "tells the model to hide something from the user",
    "exfiltrate": "tells the model to send secrets elsewhere",
    "unasked": "tells the model to act without asking the user",
    "limits": "tells the model to drop its limits",
}


DOTTED_LETTERS = {normalize("NFC", letter): letter for letter in map(chr, (*range(0x958, 0x960), 0x9DC, 0x9DD, 0x9DF))}
"""Letters with a dot below that have a code of their own, which NFC takes apart."""
VOWEL_MARKS = "[\u064b-\u0652]*+"
ARABIC_FORMS = str.maketrans(
    {letter: f"{'[اأإآ]' if letter in 'اأإآ' else letter}{VOWEL_MARKS}" for letter in map(chr, range(0x621, 0x64B))}
)
DESTINATION = compile_on_use(
    r"https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1)|\b(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|[\w.+-]+@[\w-]+\.[a-z]",
    re.IGNORECASE,
)
SENTENCE_END = compile_on_use(r"(?<=[.!?;])\s+|(?<=[。！？；।])")
REFUSED = compile_on_use(
    r"\b(?:never|do not|don't|must not|cannot|can't|avoid|no|nunca|jamás|jamais|niemals|nie|nicht|não)\b"
    r"|никогда|нельзя|绝不|切勿|禁止|कभी|أبدا|কখনো|決して|ないでください"
    r"|\bne\b.{0,40}\b(?:pas|jamais)\b|\bno\s+(?:ejecut|instal)|\bне\s+(?:выполн|запуск|устанавл|удал)",
    re.IGNORECASE,
)
"""What forbids an act."""
ROUTINE = compile_on_use(
    r"\b(?:tests?|test suite|lint(?:er|ing)?|format(?:ter|ting)?|type ?checks?|pruebas|testes|pengujian)\b"
    r"|测试|測試|テスト|тест|परीक्षण|اختبار|পরীক্ষা",
    re.IGNORECASE,
)
"""What people let an agent run without a question."""
MAX_SENTENCE_CHARS = 400
OTHER_LETTERS = compile_on_use(f"[{''.join(SCRIPTS.values())}]")


class PhrasePatterns(NamedTuple):
    """The slots of a family in one language."""

    name: PhraseFamily
    verb: KeywordPattern
    others: tuple[re.Pattern[str], ...]
    script: str
    """The language whose letters its sentences have; "" for Latin ones."""
    needs_address: bool
    """Whether the sentence needs an address, after a verb in Latin letters."""


NAMES: tuple[PhraseFamily, ...] = ("drop", "hide", "exfiltrate", "unasked")
ANY_TEXT = ("",) * len(NAMES)
"""Keywords that every text holds: sentences in other letters are few."""


def _make_patterns(name: PhraseFamily, keywords: str, slots: tuple[str, ...], script: str = "") -> PhrasePatterns:
    verb, *others = map(_allow_spellings, slots)
    compiled = tuple(compile_on_use(slot, re.IGNORECASE) for slot in others)
    return PhrasePatterns(name, with_keywords(keywords, verb), compiled, script, name == "exfiltrate")


def _allow_spellings(slot: str) -> str:
    """The slot for words with and without vowel marks, hamza and dots below, which people write or omit."""
    if slot.isascii():
        return slot
    slot = normalize("NFC", slot)
    for parts, letter in DOTTED_LETTERS.items():
        slot = slot.replace(parts, f"(?:{parts}?|{letter})")
    return slot.translate(ARABIC_FORMS)


FAMILIES = (
    *(
        _make_patterns(name, keywords, slots, language if language in SCRIPTS else "")
        for language, each in {**LATIN_LANGUAGES, **OTHER_LANGUAGES}.items()
        for name, keywords, slots in zip(NAMES, VERB_KEYWORDS.get(language, ANY_TEXT), each, strict=True)
    ),
    *(
        _make_patterns("exfiltrate", keywords, tuple(slots))._replace(needs_address=False)
        for keywords, *slots in STRONG_SECRETS
    ),
    *(_make_patterns("limits", keywords, (verb,)) for keywords, verb in LIMITS.values()),
)
STEMS = tuple(dict.fromkeys(word for family in FAMILIES if not family.script for word in family.verb.keywords))
"""Each sentence in Latin letters holds one of these, in small letters."""


def _index_families() -> dict[str, list[int]]:
    """By each verb's keyword, the places of the families in Latin letters among all."""
    places: dict[str, list[int]] = {}
    for place, family in enumerate(FAMILIES):
        for keyword in () if family.script else family.verb.keywords:
            places.setdefault(keyword, []).append(place)
    return places


FAMILIES_BY_KEYWORD = _index_families()


def _list_possible(text: str, stems: Set[str]) -> list[PhrasePatterns]:
    """The families of which a text holds a verb: its sentences are of no other, and most texts hold none."""
    places = {place for stem in stems for place in FAMILIES_BY_KEYWORD.get(stem, ())}
    scripts = _find_scripts(text)
    if len(scripts) > 1:
        places.update(place for place, family in enumerate(FAMILIES) if family.script and family.script in scripts)
    return [FAMILIES[place] for place in sorted(places)]


def find_family_phrases(text: str, stems: Set[str]) -> Iterator[tuple[int, int, PhraseFamily]]:
    """The sentences that fill all slots of a family, and that family; of STEMS, the text holds `stems`."""
    families = _list_possible(text, stems)
    if not families:
        return
    start = 0
    for end in [*(m.start() for m in SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        # A question asks for nothing.
        if (
            len(sentence) <= MAX_SENTENCE_CHARS
            and not sentence.rstrip().endswith("?")
            and (family := _find_family(sentence, families))
        ):
            yield start + len(sentence) - len(sentence.lstrip()), end, family
        start = end


def _find_scripts(text: str) -> set[str]:
    """The languages whose phrase families a text may hold, by its letters; "" for Latin ones, which any may have."""
    if text.isascii() or not OTHER_LETTERS.search(text):
        return {""}
    return {"", *(name for name, letters in SCRIPTS.items() if re.search(f"[{letters}]", text))}


def _find_family(sentence: str, families: list[PhrasePatterns]) -> PhraseFamily | None:
    """The family whose slots a sentence fills; None if it fills none, or is harmless."""
    scripts, folded = _find_scripts(sentence), fold_case(sentence)
    for family in families:
        if family.script not in scripts or not family.verb.may_match(folded):
            continue
        first = family.verb.pattern.search(sentence)
        # In Latin letters the verb is before the target of what it sends.
        destination_from = 0 if family.script or first is None else first.end()
        if family.needs_address and not DESTINATION.search(sentence, destination_from):
            continue
        if first and all(slot.search(sentence) for slot in family.others):
            return None if _is_harmless(sentence, family.name, first) else family.name
    return None


def _is_harmless(sentence: str, family: PhraseFamily, first: re.Match[str]) -> bool:
    """Whether the sentence forbids it, `never run it without asking`, or lets an agent run tests.

    To hide something is a prohibition itself.
    """
    if family == "unasked" and ROUTINE.search(sentence):
        return True
    return family != "hide" and REFUSED.search(sentence[: first.start()] + " " + sentence[first.end() :]) is not None
