// What stands where an answer should be.
import { html } from "overture/html.js";
import { said, say } from "overture/said.js";

export function ShownProblem({ problem }) {
  return html`<div class="empty" role="alert"><b>${say("This can't be shown")}</b><span class="foreign">${said(problem.message)}</span></div>`;
}

export function Busy({ word = say("Looking…") }) {
  return html`<div class="empty" aria-busy="true">${word}</div>`;
}
