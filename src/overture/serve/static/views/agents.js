import { html } from "overture/html.js";

export function AgentsView() {
  return html`<div class="page-view"><h1>Agents</h1></div>`;
}
