// The rail: the views, and below them the sections of the prompt.
import { href, VIEWS } from "overture/address.js";
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { Outline } from "overture/parts/outline.js";
import { say } from "overture/say.js";
import { VIEW_NAMES } from "overture/words.js";

export function Rail({ page, address }) {
  const tally = { prompt: page.sheet?.blocks.length, check: page.sheet?.problems.length || undefined };
  return html`
    <div class="rail">
      <nav aria-label=${say("Views")}><ul>
        ${VIEWS.map((view) => html`<li key=${view}>
          <a class="view" href=${href(view)} aria-current=${address.view === view ? "page" : undefined}>
            <${Icon} name=${view} />${VIEW_NAMES[view]}
            ${tally[view] !== undefined && html`<span class="tally">${tally[view]}</span>`}
            ${view === "turns" && page.unseen > 0 && html`<span class="tally new">${say("nNew", { n: page.unseen })}</span>`}
          </a>
        </li>`)}
      </ul></nav>
      ${page.sheet && address.view === "prompt" && html`<${Outline} sheet=${page.sheet} place=${address.place} />`}
    </div>`;
}
