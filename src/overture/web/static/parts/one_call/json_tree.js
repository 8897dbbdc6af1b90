// JSON as a tree whose folds open and close. What is closed has no elements: a body of megabytes is drawn at once.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { LongText } from "overture/parts/one_call/long_text.js";
import { say } from "overture/say.js";

const MOST = 100; // entries of a fold that are drawn together
const SHORT = 40; // characters of a value beside a closed fold

// A number as it was written, where that is not how it would be written here.
class Written {
  constructor(source) { this.source = source; }
}

// What a text says; undefined where it is no JSON.
export function readJson(text) {
  try {
    return JSON.parse(text, (_, value, context) => (typeof value === "number" && context?.source && String(value) !== context.source ? new Written(context.source) : value));
  } catch {
    return undefined;
  }
}

const isFold = (value) => value !== null && typeof value === "object" && !(value instanceof Written);

// `open`: how many levels of folds are open at first.
export function JsonTree({ value, open = 1, label }) {
  return html`<ul class="json-tree" aria-label=${label}><${Node} value=${value} open=${open} /></ul>`;
}

function Node({ name, value, open }) {
  if (!isFold(value)) return html`<li class="json-leaf"><${Name} name=${name} /><${Value} value=${value} /></li>`;
  return html`<${Fold} name=${name} value=${value} first=${open} />`;
}

function Fold({ name, value, first }) {
  const [open, setOpen] = useState(first > 0);
  const keys = Object.keys(value);
  const key = (event) => {
    const wanted = { ArrowRight: true, ArrowLeft: false }[event.key];
    if (wanted === undefined || wanted === open) return;
    event.preventDefault();
    setOpen(wanted);
  };
  return html`
    <li>
      <button class="json-fold" data-step aria-expanded=${open ? "true" : "false"} onClick=${() => setOpen(!open)} onKeyDown=${key}>
        <span class="twist" aria-hidden="true"></span><${Name} name=${name} /><span class="quiet foreign">${Array.isArray(value) ? `[${keys.length}]` : open ? "{}" : glance(value, keys)}</span></button>
      ${open && html`<${Entries} value=${value} keys=${keys} open=${first - 1} />`}
    </li>`;
}

function Entries({ value, keys, open }) {
  const [most, setMost] = useState(MOST);
  const numbers = Array.isArray(value);
  return html`
    <ul>${keys.slice(0, most).map((key) => html`<${Node} key=${key} name=${numbers ? Number(key) : key} value=${value[key]} open=${open} />`)}
      ${keys.length > most && html`<li><button class="link-button" onClick=${() => setMost(most + 10 * MOST)}>${say("showNMore", { n: Math.min(keys.length - most, 10 * MOST) })}</button></li>`}</ul>`;
}

const Name = ({ name }) => (name === undefined ? null : html`<span class="json-name foreign">${name}</span>`);

function Value({ value }) {
  if (value instanceof Written) return html`<span class="json-plain">${value.source}</span>`;
  if (typeof value === "string") return html`<span class="json-text foreign"><${LongText} text=${value} /></span>`;
  return html`<span class="json-plain">${String(value)}</span>`;
}

// The first fields of an object that is closed.
function glance(value, keys) {
  const told = keys.slice(0, 4).map((key) => `${key}: ${isFold(value[key]) ? (Array.isArray(value[key]) ? "[…]" : "{…}") : short(value[key])}`);
  return `{ ${told.join(", ")}${keys.length > 4 ? ", …" : ""} }`;
}

function short(value) {
  const text = value instanceof Written ? value.source : typeof value === "string" ? value.slice(0, SHORT + 1).replace(/\s+/g, " ") : String(value);
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
