// Words in the language that was chosen. The English ones are the key, in scripts and in what the server says.
import { alone, language, locale } from "overture/language.js";
import { matcher } from "overture/said_by_server.js";

const held = document.getElementById("overture-words");
const catalogue = await load();
const whole = new Intl.NumberFormat(locale);
const rules = new Intl.PluralRules(locale);

// One file for each language but English. In a page that is a file all of them lie packed.
async function load() {
  if (language === "en") return null;
  try {
    if (held) return await fromInside(JSON.parse(held.textContent));
    const answer = await fetch(`/static/languages/${language}.json`);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // in English, then
  }
}

// The English forms are there once, and each language has its words in their order.
async function fromInside(packed) {
  const [forms, words] = await Promise.all([unpacked(packed.forms), unpacked(packed[language])]);
  const paired = (room) => Object.fromEntries(forms[room].map((form, at) => [form, words[room][at]]));
  return { page: paired("page"), server: paired("server") };
}

function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

// A sentence of the page: `say("{n} call|{n} calls", { n })`. Of two forms the first is for one; `n` decides.
export function say(form, slots = {}) {
  return tell(form, slots).join("");
}

// The same with elements in its slots, as a list.
export function tell(form, slots = {}) {
  return filled(ofCount(catalogue?.page[form] ?? english(form), slots.n), slots);
}

function english(form) {
  const [one, other = one] = form.split("|");
  return { one, other };
}

function ofCount(entry, count) {
  if (typeof entry === "string") return entry;
  return entry[rules.select(count ?? 2)] ?? entry.other;
}

function filled(form, slots) {
  return form.split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) && part.slice(1, -1) in slots ? shown(slots[part.slice(1, -1)]) : part));
}

function shown(value) {
  if (typeof value === "number") return whole.format(value);
  return typeof value === "string" ? alone(value) : value;
}

// A sentence that the server made, in English: its form is found in the catalogue, and what it names stays as it is.
const match = catalogue && matcher(catalogue.server);
export function said(text) {
  if (!match || !text) return text;
  return match(text, (entry, slots) => filled(ofCount(entry, slots.n), slots).join(""));
}

// Whether there are words for it: what nobody has translated stays English.
export const isKnown = (text) => !match || match.knows(text);
