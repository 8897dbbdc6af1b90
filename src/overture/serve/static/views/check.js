import { html } from "overture/html.js";

export function CheckView() {
  return html`<div class="page-view"><h1>Check</h1></div>`;
}
