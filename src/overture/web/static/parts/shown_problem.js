// What stands where an answer should be.
import { html } from "overture/html.js";
import { say } from "overture/say.js";

export function ShownProblem({ problem }) {
  return html`<div class="empty" role="alert"><b>${say("ThisCantBeShown")}</b><span class="foreign">${problem.message}</span></div>`;
}

export function Busy({ word = say("Looking") }) {
  return html`<div class="empty" aria-busy="true">${word}</div>`;
}
