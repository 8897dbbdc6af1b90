// The sections of the prompt in their order, each with its share.
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { tokens } from "overture/words.js";

export function Outline({ sheet, place }) {
  const most = Math.max(...sheet.blocks.map((block) => block.share), 0.01);
  return html`
    <nav class="outline" aria-label=${say("Sections")}>
      <h2>${say("Sections")}</h2>
      <ul>${sheet.blocks.map((block) => html`
        <li key=${block.name}>
          <a class="entry pace-${block.pace}" href=${href("prompt", block.name)} aria-current=${place === block.name ? "location" : undefined}>
            <span class="foreign name">${block.name}</span><span class="count">${tokens(block.tokens, sheet)}</span>
            <meter class="bar" min="0" max="1" value=${block.share / most} aria-hidden="true"></meter>
          </a>
        </li>`)}</ul>
    </nav>`;
}
