// What stands where an answer should be.
import { html } from "overture/html.js";

export function ShownProblem({ problem }) {
  return html`<div class="empty" role="alert"><b>This can't be shown</b><span class="foreign">${problem.message}</span></div>`;
}

export function Busy({ word = "Looking…" }) {
  return html`<div class="empty" aria-busy="true">${word}</div>`;
}
