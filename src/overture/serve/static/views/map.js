import { html } from "overture/html.js";

export function MapView() {
  return html`<div class="page-view"><h1>Map</h1></div>`;
}
