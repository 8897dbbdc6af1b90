// Small things that every view is made of.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";

// Drawings on a grid of 16 with lines of 1.5. They stand beside words and never alone.
const PATHS = {
  prompt: "M3 3h10M3 6.5h10M3 10h6M3 13h8",
  turns: "M8 2.5v3.2M8 10.3v3.2M8 8m-2.3 0a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0-4.6 0M3 2.5h2M3 13.5h2",
  agents: "M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",
  files: "M4 1.8h5l3.2 3.2v9.2H4zM9 1.8v3.4h3.2",
  check: "M2.8 8.5l3.4 3.4 7-7.4",
  calls: "M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-5.5M13.5 13.5v-11",
  theme: "M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
};

export function Icon({ name }) {
  return html`<svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"
    stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

export function Sign() {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="var(--accent)" />
    <g fill="var(--on-accent)"><rect x="7" y="7" width="18" height="4" rx="2" />
      <rect x="7" y="14" width="12" height="4" rx="2" opacity=".85" />
      <rect x="7" y="21" width="7" height="4" rx="2" opacity=".7" /></g></svg>`;
}

// A path on one line: where it is too long, its start goes, since its end is what one looks for.
export function Path({ text, title, kind = "" }) {
  return html`<span class="path-line" title=${title || text}>
    <span class="foreign ${kind}" dir="ltr">${text}</span></span>`;
}

// What stands where an answer should be.
export function ShownProblem({ problem }) {
  return html`<div class="empty" role="alert"><b>This can't be shown</b>
    <span class="foreign">${problem.message}</span></div>`;
}

export function Busy({ word = "Looking…" }) {
  return html`<div class="empty" aria-busy="true">${word}</div>`;
}

// A difference as lines with + and -, as everybody knows it.
export function Diff({ lines }) {
  const kind = (line) => (/^\+(?!\+\+ )/.test(line) ? "new" : /^-(?!-- )/.test(line) ? "gone" : "");
  return html`<div class="diff card scrolls" tabindex="0" role="group" aria-label="Difference">
    ${lines.map((line) => html`<span class="diff-line foreign ${kind(line)}">${line || " "}</span>`)}</div>`;
}

// A field whose word counts once it is taken with Enter or left. Until then it stays as typed.
export function Typed({ value, onTake, ...rest }) {
  const [draft, setDraft] = useState(null);
  const take = (event) => {
    setDraft(null);
    onTake(event.target.value.trim());
  };
  return html`<input ...${rest} class="field ${rest.class || ""}" value=${draft ?? value}
    onInput=${(event) => setDraft(event.target.value)} onChange=${take} />`;
}

// A share of a row or a bar. Sizes are set by script: the page allows no styles in its markup.
export const grown = (value) => (element) => { if (element) element.style.flexGrow = String(value); };

// Browsers allow it on localhost and over https alone, and elsewhere there is no clipboard at all.
export async function copyText(text) {
  if (!navigator.clipboard) throw new Error("The browser allows copying only on localhost or over https.");
  await navigator.clipboard.writeText(text);
}
