// Which language the page speaks: the first of the browser's that it knows, unless somebody chose.
const KEY = "overture-language";

// Each by its own name, as those who look for it read it.
export const LANGUAGES = {
  en: "English", de: "Deutsch", es: "Español", fr: "Français", "pt-BR": "Português (Brasil)", ru: "Русский", ar: "العربية",
  ja: "日本語", ko: "한국어", "zh-CN": "简体中文",
};
const TO_THE_LEFT = ["ar"];
// Tags that are written otherwise than those here. Traditional Chinese is another script: it is not taken for this one.
const ALSO = { pt: "pt-BR", zh: "zh-CN", "zh-hans": "zh-CN", "zh-sg": "zh-CN", "zh-my": "zh-CN" };
const OTHER = /^zh-(hant|tw|hk|mo)\b/;

function known(tag) {
  const wanted = tag.toLowerCase();
  if (OTHER.test(wanted)) return undefined;
  const [base] = wanted.split("-");
  return Object.keys(LANGUAGES).find((name) => name.toLowerCase() === wanted) || ALSO[wanted] || ALSO[base] || (base in LANGUAGES ? base : undefined);
}

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is switched off
  }
}

function chosen() {
  return [kept(), ...navigator.languages].map((tag) => tag && known(tag)).find(Boolean) || "en";
}

export const language = chosen();
// Numbers stand beside code and logs, and look as they do there.
export const locale = language === "ar" ? "ar-u-nu-latn" : language;

export const isToTheLeft = TO_THE_LEFT.includes(language);
// What somebody named keeps its own direction within a sentence that reads the other way.
export const alone = (text) => (isToTheLeft ? `\u2068${text}\u2069` : text);

// All words are looked up as the page is drawn: another language is another page.
export function speak(name) {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    return; // it could not be remembered
  }
  location.reload();
}

export function applyLanguage() {
  document.documentElement.lang = language;
  document.documentElement.dir = isToTheLeft ? "rtl" : "ltr";
}
