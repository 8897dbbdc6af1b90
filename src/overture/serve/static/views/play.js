import { html } from "overture/html.js";

export function PlayView() {
  return html`<div class="page-view"><h1>Play</h1></div>`;
}
