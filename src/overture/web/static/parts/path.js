// A path on one line: where it is too long, its start goes, since its end is what one looks for.
import { html } from "overture/html.js";

export function Path({ text, title, kind = "" }) {
  return html`<span class="path-line" title=${title || text}><span class="foreign ${kind}" dir="ltr">${text}</span></span>`;
}
