import { html } from "overture/html.js";

export function TurnsView() {
  return html`<div class="page-view"><h1>Turns</h1></div>`;
}
