// Sentences of the server, taken apart by their forms: `it came more than {n} minutes after the call before it`.
//
// By its name a slot holds a number ({n…}), an amount ({money…}), another sentence that is looked up in turn ({words…}),
// a place in a request ({place…}), what an agent does ({does}), or else what somebody named, which is left as it is.
import { alone, isToTheLeft, locale } from "overture/language.js";

const MOST = 4000; // sentences that are remembered
const DEEPEST = 6;
const SLOT = /\{(\w+)\}/;
// Others are names of sections and files, which somebody gave.
const PLACE = /^(message \d+ \(|the description of tool |tool \S+$|\d+ of yours$)/;
const HOLDS = [
  [/^n\d*$/, String.raw`~?\d[\d,]*`],
  [/^money\d*$/, String.raw`(?:less than )?\$\d[\d,]*(?:\.\d+)?`],
  [/^does$/, String.raw`(?:cuts|takes|does|follows) [^:]+`],
  [/^/, String.raw`[^]+?`],
];

export function matcher(forms) {
  const patterns = Object.keys(forms).filter((form) => SLOT.test(form)).map((form) => compiled(form, forms[form])).sort((a, b) => b.fixed - a.fixed);
  const known = new Map();
  const match = (text, fill, depth = 0) => {
    if (known.has(text)) return known.get(text);
    const made = found(forms, patterns, text, (entry, slots) => fill(entry, read(slots, (words) => (depth < DEEPEST ? match(words, fill, depth + 1) : words)))) ?? text;
    if (known.size > MOST) known.clear();
    known.set(text, made);
    return made;
  };
  match.knows = (text) => found(forms, patterns, text, (_, slots) => Object.entries(slots).every(([name, value]) => !isOurs(name, value) || match.knows(value))) ?? false;
  return match;
}

function found(forms, patterns, text, fill) {
  if (Object.hasOwn(forms, text)) return fill(forms[text], {});
  for (const { pattern, names, entry } of patterns) {
    const parts = pattern.exec(text);
    if (parts) return fill(entry, Object.fromEntries(names.map((name, at) => [name, parts[at + 1]])));
  }
  return null;
}

function compiled(form, entry) {
  const parts = form.split(SLOT);
  const names = parts.filter((_, at) => at % 2);
  const source = parts.map((part, at) => (at % 2 ? `(${HOLDS.find(([shape]) => shape.test(part))[1]})` : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  return { pattern: new RegExp(`^${source.join("")}$`), names, entry, fixed: parts.filter((_, at) => at % 2 === 0).join("").length };
}

// What stands in the slots, as this language writes it.
function read(slots, look) {
  return Object.fromEntries(Object.entries(slots).map(([name, value]) => {
    if (/^n\d*$/.test(name)) return [name, value.startsWith("~") ? `~${numberOf(value).toLocaleString(locale)}` : numberOf(value)];
    if (/^money\d*$/.test(name)) return [name, amount(value)];
    return [name, isOurs(name, value) ? look(value) : alone(value)];
  }));
}

const isOurs = (name, value) => /^(words|does)/.test(name) || (/^place/.test(name) && PLACE.test(value));
const numberOf = (text) => Number(text.replace(/[~,]/g, ""));

function amount(text) {
  const [, digits = ""] = /\.(\d+)$/.exec(text) || [];
  const shown = dollarsIn(Number(text.replace(/[^\d.]/g, "")), digits.length);
  return text.startsWith("less") ? `< ${shown}` : shown;
}

export function dollarsIn(value, digits) {
  if (isToTheLeft) return alone(`$${value.toFixed(digits)}`); // as in code and logs
  return new Intl.NumberFormat(locale, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}
