// A difference as lines with + and -, as everybody knows it.
import { html } from "overture/html.js";
import { say } from "overture/say.js";

export function Diff({ lines }) {
  const kind = (line) => (/^\+(?!\+\+ )/.test(line) ? "new" : /^-(?!-- )/.test(line) ? "gone" : "");
  return html`<div class="diff card scrolls" tabindex="0" role="group" aria-label=${say("Difference")}>${lines.map((line) => html`<span class="diff-line foreign ${kind(line)}">${line || " "}</span>`)}</div>`;
}
