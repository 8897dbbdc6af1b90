// Texts of a call: long ones show their beginning, words that were looked for are lit, JSON is a tree.
import { useEffect, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { number } from "overture/words.js";

const STEP = 100_000; // characters that a browser lays out without a pause
const FARTHEST = 10 * STEP; // how far words that were looked for are followed
const BEHIND = 500; // characters behind them
const MAX_MARKS = 500; // in one text
const MAX_ENTRIES = 100; // entries of a fold that are drawn together
const SHORT = 40; // characters of a value beside a closed fold

export function LongText({ text, first = 300, words = "" }) {
  const [most, setMost] = useState(() => Math.max(first, upTo(text, words)));
  const end = text.length <= most + 40 ? text.length : most;
  const next = most < STEP ? STEP : most + STEP;
  const label = text.length <= next + 40 ? `show all ${number(text.length)} characters`
    : `show ${number(next - end)} more characters`;
  return html`<${Marked} text=${text.slice(0, end)} words=${words} />${end < text.length && html`… <button
    class="link-button" onClick=${() => setMost(next)}>${label}</button>`}`;
}

// Where the first of the words that were looked for has been shown.
function upTo(text, words) {
  const at = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
  return at < 0 || at > FARTHEST ? 0 : at + words.length + BEHIND;
}

export function Marked({ text, words }) {
  if (!words) return text;
  return html`${cut(text, words).map((part, at) => (at % 2 ? html`<mark class="hit">${part}</mark>` : part))}`;
}

// What stands between hits, and hits, in turn.
function cut(text, words) {
  const parts = [];
  const small = text.toLowerCase(), wanted = words.toLowerCase();
  let from = 0;
  for (let at = small.indexOf(wanted); at >= 0 && parts.length < 2 * MAX_MARKS; at = small.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

export const holds = (text, words) => Boolean(words) && text.toLowerCase().includes(words.toLowerCase());

// `there` becomes true once the texts are drawn. Of messages the newest is meant, which a search finds first.
export function useFound(words, there = true, newest = false) {
  useEffect(() => {
    if (!words || !there) return;
    const all = [...document.querySelectorAll("main mark.hit")];
    const wanted = newest ? all.at(-1)?.closest("li").querySelector("mark.hit") : all[0];
    wanted?.scrollIntoView({ block: "center" });
  }, [words, there]);
}

// A number as it was written, where that is not how it would be written here.
class Written {
  constructor(source) { this.source = source; }
}

// What a text says; undefined where it is no JSON.
export function readJson(text) {
  const keep = (_, value, context) => {
    const isOther = typeof value === "number" && context?.source && String(value) !== context.source;
    return isOther ? new Written(context.source) : value;
  };
  try {
    return JSON.parse(text, keep);
  } catch {
    return undefined;
  }
}

const isFold = (value) => value !== null && typeof value === "object" && !(value instanceof Written);

// What is closed has no elements: a body of megabytes is drawn at once. `open`: how many levels are open at first.
export function JsonTree({ value, open = 1, label }) {
  return html`<ul class="json-tree" aria-label=${label}><${Node} value=${value} open=${open} /></ul>`;
}

function Node({ name, value, open }) {
  if (!isFold(value)) return html`<li class="json-leaf"><${Name} name=${name} /><${Value} value=${value} /></li>`;
  return html`<${JsonFold} name=${name} value=${value} first=${open} />`;
}

function JsonFold({ name, value, first }) {
  const [open, setOpen] = useState(first > 0);
  const keys = Object.keys(value);
  const key = (event) => {
    const wanted = { ArrowRight: true, ArrowLeft: false }[event.key];
    if (wanted === undefined || wanted === open) return;
    event.preventDefault();
    setOpen(wanted);
  };
  const summary = Array.isArray(value) ? `[${keys.length}]` : open ? "{}" : glance(value, keys);
  return html`
    <li>
      <${Fold} open=${open} onToggle=${() => setOpen(!open)} onKeyDown=${key}>
        <${Name} name=${name} /><span class="quiet foreign">${summary}</span><//>
      ${open && html`<${Entries} value=${value} keys=${keys} open=${first - 1} />`}
    </li>`;
}

// A button that opens and closes what stands below it.
export function Fold({ open, onToggle, children, ...rest }) {
  return html`<button class="json-fold" data-step aria-expanded=${open ? "true" : "false"} onClick=${onToggle}
    ...${rest}><span class="twist" aria-hidden="true"></span>${children}</button>`;
}

function Entries({ value, keys, open }) {
  const [most, setMost] = useState(MAX_ENTRIES);
  const numbers = Array.isArray(value);
  const more = Math.min(keys.length - most, 10 * MAX_ENTRIES);
  return html`
    <ul>${keys.slice(0, most).map((key) => html`
      <${Node} key=${key} name=${numbers ? Number(key) : key} value=${value[key]} open=${open} />`)}
      ${more > 0 && html`<li><button class="link-button" onClick=${() => setMost(most + 10 * MAX_ENTRIES)}>
        show ${number(more)} more</button></li>`}</ul>`;
}

const Name = ({ name }) => (name === undefined ? null : html`<span class="json-name foreign">${name}</span>`);

function Value({ value }) {
  if (value instanceof Written) return html`<span class="json-plain">${value.source}</span>`;
  if (typeof value === "string") return html`<span class="json-text foreign"><${LongText} text=${value} /></span>`;
  return html`<span class="json-plain">${String(value)}</span>`;
}

// The first fields of an object that is closed.
function glance(value, keys) {
  const short = (each) => (isFold(each) ? (Array.isArray(each) ? "[…]" : "{…}") : shorten(each));
  const fields = keys.slice(0, 4).map((key) => `${key}: ${short(value[key])}`);
  return `{ ${fields.join(", ")}${keys.length > 4 ? ", …" : ""} }`;
}

function shorten(value) {
  const text = value instanceof Written ? value.source
    : typeof value === "string" ? value.slice(0, SHORT + 1).replace(/\s+/g, " ") : String(value);
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
