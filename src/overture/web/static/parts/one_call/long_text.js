// A text that may be very long: its beginning, and more of it when somebody asks.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { Marked } from "overture/parts/one_call/marked.js";
import { say } from "overture/say.js";

const STEP = 100_000; // characters that a browser lays out without a pause
const FARTHEST = 10 * STEP; // how far words that were looked for are followed
const BEHIND = 500; // characters behind them

export function LongText({ text, first = 300, words = "" }) {
  const [most, setMost] = useState(() => Math.max(first, upTo(text, words)));
  const end = text.length <= most + 40 ? text.length : most;
  const more = text.length - end;
  return html`<${Marked} text=${text.slice(0, end)} words=${words} />${more > 0 && html`… <button class="link-button" onClick=${() => setMost(most < STEP ? STEP : most + STEP)}>${next(text.length, most < STEP ? STEP : most + STEP, end)}</button>`}`;
}

// Where the first of the words that were looked for has been shown.
function upTo(text, words) {
  const at = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
  return at < 0 || at > FARTHEST ? 0 : at + words.length + BEHIND;
}

function next(length, most, end) {
  if (length <= most + 40) return say("showAllNCharacters", { n: length });
  return say("showNMoreCharacters", { n: most - end });
}
