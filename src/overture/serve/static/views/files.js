import { html } from "overture/html.js";

export function FilesView() {
  return html`<div class="page-view"><h1>Files</h1></div>`;
}
