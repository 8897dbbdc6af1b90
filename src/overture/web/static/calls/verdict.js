// What became of a call's cache, in a sign and words; and the parts of its input.
import { html } from "overture/html.js";
import { grown } from "overture/widgets.js";
import { number } from "overture/words.js";

const VERDICTS = {
  hit: ["good", "✓", "from the cache"],
  "first call": ["plain", "○", "first call"],
  expired: ["bad", "▲", "expired"],
  "prefix changed": ["bad", "▲", "prefix changed"],
  "below the minimum": ["plain", "–", "below the minimum"],
  shortened: ["plain", "–", "shortened"],
  "no marks": ["bad", "▲", "no marks"],
  "marks moved": ["bad", "▲", "marks moved"],
  "sent meanwhile": ["bad", "▲", "sent meanwhile"],
  "model changed": ["bad", "▲", "model changed"],
  "settings changed": ["bad", "▲", "settings changed"],
  evicted: ["bad", "▲", "evicted or routed away"],
  unknown: ["bad", "▲", "cause unknown"],
  failed: ["failed", "✕", "failed"],
};
const WAITS = ["plain", "…", "being computed"];

export const LEGEND = [
  ["read", "from the cache"], ["written", "written to the cache"], ["fresh", "at full price"],
];

export function verdictOf(call) {
  const [look, sign, word] = VERDICTS[call.reason] || WAITS;
  return { look: look === "bad" && !call.lost ? "plain" : look, sign, word };
}

export function whyWords({ cause, byte }) {
  const place = byte !== undefined && byte !== null && `byte ${number(byte)}`;
  return [cause, place].filter(Boolean).join(", ");
}

// What no field says is nothing.
export function partsOf(call) {
  const tokens = call.tokens || 0, read = call.read || 0, written = call.written || 0;
  return { tokens, read, written, fresh: Math.max(tokens - read - written, 0), lost: call.lost || 0 };
}

export function barWords(call) {
  const { tokens, read, written, fresh } = partsOf(call);
  return `${number(tokens)} tokens in: ${number(read)} from the cache, ${number(written)} written to it, `
    + `${number(fresh)} fresh`;
}

export function TokenBar({ call, most }) {
  const { tokens, read, written, fresh } = partsOf(call);
  return html`<div class="call-bar" role="img" aria-label=${barWords(call)} title=${barWords(call)}>
    ${[["read", read], ["written", written], ["fresh", fresh]].map(([name, n]) => n > 0 && html`
      <span key=${name} class="is-call-${name}" ref=${grown(n)}></span>`)}
    <span class="call-rest" ref=${grown(Math.max(most - tokens, 0))}></span></div>`;
}
