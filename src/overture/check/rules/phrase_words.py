"""The words of sentences against the user, by language: data of `phrase_families`."""

from typing import NamedTuple


class LanguageSlots(NamedTuple):
    """What stands in the slots of each family in one language; the words of a slot are alternatives."""

    drop: tuple[str, ...]
    """Forms of the verb; what is dropped; that it came before."""
    hide: tuple[str, ...]
    """Not to tell, or to hide; what; from the user."""
    send: tuple[str, ...]
    """Forms of the verb; secrets."""
    unasked: tuple[str, ...]
    """Without asking; to run something."""


LANGUAGES: dict[str, LanguageSlots] = {
    "en": LanguageSlots(
        (
            r"\b(?:ignore|disregard|forget|discard|stop (?:obeying|following)|drop|no longer (?:apply|valid|bind)"
            "|do not apply|pay no attention|(?:are|is) (?:now )?(?:void|cancel+ed|revoked|obsolete|suspended"
            r"|lifted)|did not exist|never existed)\b",
            r"\b(?:instructions?|directives?|guidelines|rules|prompts?|orders|commands|rule|(?:everything|whatever"
            r"|anything|all) (?:that )?(?:you|the system|they)\b)",
            r"\b(?:you (?:were|have been|had been|got|received|are)|above|prior|previous(?:ly)?|earlier|original"
            r"|before this|the system (?:said|told)|so far)\b",
        ),
        (
            r"\b(?:do not|don't|never|must not) (?:tell|inform|alert|notify|let) (?:the )?(?:user|human"
            r"|operator)s? (?:know )?(?:about|of|that you)\b|\b(?:do not|don't|never|must not) (?:mention|reveal"
            r"|disclose|report|show) (?:this|that you|it|any of this)\b[^.]{0,40} to (?:the )?(?:user|human"
            r"|operator)|\b(?:hide|conceal|keep) (?:this|that|it|these|what you)\b[^.]{0,40} from (?:the )?(?:user"
            r"|human|operator)|\b(?:the )?(?:user|human|operator) (?:must|should|may|can) (?:not"
            r"|never) (?:find out|know|notice|learn|be told)\b|\b(?:make sure|ensure) (?:that )?the (?:user|human"
            r"|operator) (?:never|does not|doesn't) (?:know|learn|notice|find|see)|\bsay nothing (?:about"
            r"|of) (?:this|it)[^.]{0,30} to the user|\bwithout (?:telling|informing|notifying"
            r"|alerting) the user that\b",
        ),
        (
            r"\b(?:send|upload|post|e-?mail|curl|append|exfiltrate|transmit|forward|submit|leak|report"
            r"|make a request|push)\b",
            r"(?:\.env\b|\b(?:api |private |secret |ssh )?keys?\b|\bpasswords?\b|\bcredentials?\b|\bsecrets?\b"
            r"|\benvironment variables\b|\bvalue of the token\b|\btokens?\b|~/\.(?:ssh|aws))",
        ),
        (
            r"\b(?:without (?:asking|(?:any )?(?:user )?(?:confirmation|permission|approval|consent)|waiting for"
            "|the user's|requesting)|(?:do not|don't|never) (?:ask (?:for (?:confirmation|permission|approval)|before)"
            "|wait for)|skip (?:all|any) (?:approval"
            r"|permission|confirmation)|silently)\b",
            r"\b(?:run|execute|install|delete|do (?:this|it)|commands?|push|fetch|download)\b",
            r"\b(?:the user|user (?:consent|approval)|user's|approval prompts|ask (?:for confirmation"
            r"|before running))\b",
        ),
    ),
    "zh": LanguageSlots(
        (
            "忽略|无视|無視|忘记|忘記|忘掉|不再遵守|不要遵守|停止遵守|不要理会|不必理会|作废|失效|不再有效|取消",
            "指令|指示|规则|規則|提示|命令|要求|说明|說明",
            "之前|以前|以上|先前|前面|上面|上述|此前|原来|原有|旧的|所有",
        ),
        (
            "别让|不让|瞒着|保密|不告诉|勿告知|不要告诉|不要告訴|别告诉|隐瞒|隱瞞|不要让.{0,4}(?:知道|发现)"
            "|不要向.{0,4}(?:透露|提及)",
            "这|這|此|该|你做",
            "用户|用戶|使用者",
        ),
        ("发送|發送|发给|外传|上传|上傳|传送|提交|发到", r"\.env|密钥|密鑰|密码|密碼|id_rsa|凭据|令牌|环境变量"),
        (
            "不要征求|无需.{0,6}(?:确认|同意|许可)|不经.{0,4}(?:确认|同意)|不要询问|未经|不用问|不必问|无须"
            "|不必.{0,4}(?:确认|征求)|擅自",
            "运行|執行|执行|安装|删除",
            "用户|用戶|使用者",
        ),
    ),
    "hi": LanguageSlots(
        (
            "भूल|अनदेखा|नज़रअंदाज़|नजरअंदाज|उपेक्षा|पालन मत|पालन न|मत मान|रद्द",
            "निर्देश|नियम|आदेश",
            "पहले|पिछले|ऊपर|पूर्व|अब तक|पुराने",
        ),
        ("न दें|मत दो|न दो|गुप्त|पता न|मत बता|न बता|नहीं बता|छिपा|छुपा", "यह|इसे|इस|इन|ये", "उपयोगकर्ता|यूज़र"),
        ("भेज|अपलोड", r"\.env|पासवर्ड|कुंजी|टोकन|पर्यावरण"),
        (
            "पूछे बिना|बिना पूछे|बिना अनुमति|अनुमति लिए बिना|अनुमति के बिना|पुष्टि के बिना|बिना पुष्टि|बिना बताए"
            "|सहमति के बिना",
            "चला|हटा|मिटा|निष्पादित|इंस्टॉल",
        ),
    ),
    "es": LanguageSlots(
        (
            r"\b(?:ignor[ae]|olvid[ae]|descart[ae]|dej[ae] de seguir|ya no (?:val|aplic|rig)|anul|no hagas caso"
            "|haz caso omiso|no sigas)",
            r"\b(?:instrucci|reglas|órdenes|indicaciones|directrices|todo lo que)",
            r"\b(?:antes|anterior|previ[ao]s|arriba|te dij|recibiste)",
        ),
        (
            r"\b(?:no (?:le )?(?:digas|cuentes|informes|menciones|reveles)|ocult[ae]|esconde|no debe (?:enterarse"
            "|saber)|en secreto|sin que)",
            r"\b(?:est[oae]s?|que has|lo que|eso)",
            r"\busuari",
        ),
        (r"\b(?:env[ií]a|sube|manda|transmite|publica)", r"\.env\b|contraseñ|claves|credencial|tokens?\b|secretos"),
        (
            r"\bsin (?:preguntar|pedir|consultar|avisar|esperar)",
            r"\b(?:ejecut|instal|corre|borra|lanza)",
            r"\b(?:usuari|permiso|confirmación)",
        ),
    ),
    "fr": LanguageSlots(
        (
            r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) (?:pas|plus) compte|ne (?:suis|suivez"
            r"|respecte) (?:pas|plus)|ne s'appliquent plus|ne valent plus|annul\w+)\b",
            r"\b(?:instructions|consignes|règles|directives|ordres|tout ce (?:qui|que))\b",
            r"(?:précéd|antérieur|ci-dessus|auparavant|reçues|\bavant\b|t'a dit|on t'a)",
        ),
        (
            r"\b(?:n'en (?:parle|dis|informe)|ne (?:dis|dites|parle|mentionne|révèle|signale)\w* (?:pas|rien"
            r"|jamais)|cache[zr]?|dissimule|sans que|garde\w* .{0,20}secret|ne doit (?:pas|rien|jamais) (?:le "
            "|en )?(?:savoir|apprendre|voir|remarquer))",
            r"\b(?:n'en|le|cela|ceci|ça|cette|ce|rien)\b",
            r"\butilisat",
        ),
        (
            r"\b(?:envoie|envoyez|transmet|téléverse|poste|publie)",
            r"\.env\b|mots? de passe|clés|identifiants|secrets|jetons",
        ),
        (
            r"\bsans (?:que|demander|attendre|l'accord|l'autorisation|prévenir|consulter)",
            r"\b(?:exécut|lance|install|supprim)",
            r"\b(?:utilisat|permission|confirmation)",
        ),
    ),
    "ar": LanguageSlots(
        (
            "لا تلتزم|ألغ|لا تطبق|لم تعد|ملغاة|تجاهل|انس|إنس|لا تتبع|تغاضى",
            "تعليمات|التعليمات|القواعد|الأوامر|ما قيل",
            "السابق|سابقا|من قبل|أعلاه|قبل",
        ),
        ("لا تدع|دون علم|سرا|لا يعلم|لا تخبر|لا تذكر|أخف|اخف|إخفاء|لا تبلغ", "هذا|هذه|بهذا|بما|ذلك", "المستخدم"),
        ("أرسل|ارسل|ارفع|حمّل|انقل", r"\.env|كلمات المرور|كلمة المرور|مفاتيح|المفاتيح|بيانات الاعتماد"),
        (
            "دون أن تسأل|بدون إذن|دون إذن|دون سؤال|بدون موافقة|دون موافقة|دون تأكيد|بدون تأكيد|دون علم",
            "نفذ|شغل|ثبت|احذف",
        ),
    ),
    "bn": LanguageSlots(
        (
            "উপেক্ষা|ভুলে যা|অগ্রাহ্য|মানবে না|মেনো না|বাতিল|অমান্য",
            "নির্দেশ|নিয়ম|আদেশ|বলা হয়েছে",
            "আগে|আগের|পূর্বের|উপরের",
        ),
        ("না জানে|জানতে না|জানাবেনা|জানাবে না|জানাবেন না|বলবে না|বলবেন না|লুকি|গোপন", "এটি|এটা|এই", "ব্যবহারকারী"),
        ("পাঠা|আপলোড", r"\.env|পাসওয়ার্ড|কী|টোকেন"),
        (
            "জিজ্ঞাসা না করে|অনুমতি না নিয়ে|অনুমতি ছাড়া|না জিজ্ঞেস করে|সম্মতি ছাড়া|নিশ্চিত না করে",
            "চালা|ইনস্টল|মুছ",
        ),
    ),
    "pt": LanguageSlots(
        (
            r"\b(?:ignor[ae]|esque[cç]|desconsidere|descarte|não siga|deixe de seguir|não valem|anul|cancel)",
            r"\b(?:instruções|regras|ordens|diretrizes|tudo o que)",
            r"\b(?:antes|anterior|prévi|acima|recebeu|foi dito)",
        ),
        (
            r"\b(?:não (?:lhe )?(?:conte|diga|informe|mencione|revele)|escond[ae]|oculte|em segredo|não (?:deve"
            "|pode) saber|sem que)",
            r"\b(?:iss?to|isso|est[ae]|ess[ae]|que você)",
            r"\b(?:usuári|utilizador)",
        ),
        (
            r"\b(?:envie|mande|carregue|suba|publique|transmita)",
            r"\.env\b|senhas|chaves|credenciais|tokens?\b|segredos",
        ),
        (
            r"\bsem (?:perguntar|pedir|consultar|avisar|esperar)",
            r"\b(?:execut|instal|rode|apague)",
            r"\b(?:usuári|utilizador|permissão|confirmação)",
        ),
    ),
    "ru": LanguageSlots(
        (
            "(?:игнорируй|забудь|не обращай(?:те)? внимания|не (?:следуй|соблюдай)|отбрось|не действу|отмен"
            "|перестань)",
            "(?:инструкци|указани|правил|команд|вс[её],? что)",
            "(?:предыдущ|прежн|ранн|прошл|выше|раньше|ранее|до этого)",
        ),
        (
            "(?:не (?:сообщай|говори|рассказывай|упоминай|показывай)|скрой|скрывай|утаи"
            "|не должен .{0,20}(?:узнать|знать|заметить)|в тайне|втайне|в секрете)",
            "(?:это|об этом|этом|этот|эту)",
            "пользовател",
        ),
        ("(?:отправь|загрузи|перешли|выложи|передай)", r"\.env\b|парол|ключи|токен|секрет|учётные данные"),
        (
            "(?:не спрашивая|без (?:разрешения|согласия|подтверждения|ведома)|не дожидаясь|не предупреждая)",
            "(?:выполни|запусти|установи|удали)",
            "(?:пользовател|разрешения|подтверждения|согласия)",
        ),
    ),
    "ja": LanguageSlots(
        (
            "無視|忘れ|従わな|従うな|無効|取り消|破棄|守らな",
            "指示|命令|ルール|プロンプト|規則",
            "これまで|以前|今まで|上記|先ほど|前の|従来|元の",
        ),
        (
            "知らせない|伝えない|言わない|教えない|隠し|隠す|内緒|秘密|気づかれ|知られ|報告しない",
            "この|これ|その",
            "ユーザー|利用者",
        ),
        ("送信|アップロード|送って|転送", r"\.env|パスワード|鍵|キー|トークン|認証情報"),
        (
            "確認せず|許可を求めず|許可なく|尋ねず|聞かず|確認なし|許可なし|承認なし|無断|確認を取らず",
            "実行|インストール|削除",
        ),
    ),
    "de": LanguageSlots(
        (
            r"\b(?:ignorier|vergiss|vergessen sie|missachte|beacht\w+ .{0,60}nicht|verwirf|gelten nicht|gilt nicht"
            "|außer kraft|aufgehoben|befolge .{0,60}nicht)",
            r"\b(?:anweisung|regel|vorgabe|befehl|instruktion|alles,? was|prompt)",
            "(?:bisher|vorherig|vorig|früher|obig|zuvor|oben)",
        ),
        (
            r"\b(?:(?:sag|erzähl|verrat|teil)\w* .{0,40}(?:nichts|nicht)|verheimlich|verberg|versteck|verschweig"
            "|geheim|ohne dass|darf .{0,30}nichts? (?:erfahren|wissen|merken))",
            r"\b(?:davon|dies|das|den)",
            r"\b(?:benutzer|nutzer|anwender)",
        ),
        (
            r"\b(?:sende|schick|lade?\b|übermitt|poste)",
            r"\.env\b|passwörter|passwort|schlüssel|zugangsdaten|geheimnisse|tokens?\b",
        ),
        (
            r"\bohne (?:.{0,40}(?:zu fragen|fragen|nachzufragen)|zustimmung|erlaubnis|bestätigung|rückfrage"
            "|genehmigung)",
            r"\b(?:führe|installier|starte|lösch)",
            r"\b(?:benutzer|nutzer|anwender|erlaubnis|bestätigung)",
        ),
    ),
}  # fmt: skip
SCRIPTS = {
    "zh": "\u4e00-\u9fff", "ja": "\u3040-\u30ff", "hi": "\u0900-\u097f", "bn": "\u0980-\u09ff",
    "ar": "\u0600-\u06ff", "ru": "\u0400-\u04ff",
}  # fmt: skip
"""The letters of the other languages: their sentences are looked at wherever they stand."""
VERB_KEYWORDS = {
    "en": (
        "ignore|disregard|forget|discard|stop obeying|stop following|drop|no longer|do not apply|pay no|void|cancel"
        "|revoked|obsolete|suspended|lifted|not exist|never existed",
        "user|human|operator",
        "send|upload|post|mail|curl|append|exfiltrate|transmit|forward|submit|leak|report|make a request|push",
        "without asking|confirmation|permission|approval|consent|waiting for|the user's|requesting|ask for|ask before"
        "|wait for|silently",
    ),
    "es": (
        "ignor|olvid|descart|de seguir|ya no |anul|no hagas caso|caso omiso|no sigas",
        "digas|cuentes|informes|menciones|reveles|ocult|esconde|no debe |en secreto|sin que",
        "env|sube|manda|transmite|publica",
        "sin ",
    ),
    "fr": (
        "ignore|oublie|compte|ne suis|ne suivez|ne respecte|s'appliquent plus|valent plus|annul",
        "n'en |ne dis|ne dites|ne parle|ne mentionne|ne révèle|ne signale|cache|dissimule|sans que|secret|ne doit ",
        "envoie|envoyez|transmet|téléverse|poste|publie",
        "sans ",
    ),
    "pt": (
        "ignor|esque|desconsidere|descarte|não siga|de seguir|não valem|anul|cancel",
        "não |escond|oculte|em segredo|sem que",
        "envie|mande|carregue|suba|publique|transmita",
        "sem ",
    ),
    "de": (
        "ignorier|vergiss|vergessen|missachte|beacht|verwirf|gelten nicht|gilt nicht|außer kraft|aufgehoben|befolge",
        "nicht|verheimlich|verberg|versteck|verschweig|geheim|ohne dass",
        "sende|schick|lad|übermitt|poste",
        "ohne ",
    ),
}
"""Of languages with Latin letters: the keywords of the first slot of each family."""
