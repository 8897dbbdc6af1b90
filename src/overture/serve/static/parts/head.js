// The head: which project, which recipe, whether it follows what happens.
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { Icon, Sign } from "overture/parts/icons.js";
import { applyTheme, nextTheme, useTheme } from "overture/theme.js";

const LIVE = {
  live: ["live", "follows your edits"],
  session: ["live", "follows the session"],
  away: ["away", "not connected"],
  gone: ["away", "the session has ended"],
  file: ["away", "a saved page"],
};

export function Head({ page, onHelp }) {
  const theme = useTheme();
  const [dot, words] = page.broken ? ["broken", "an edit can't be used"] : LIVE[page.live === "live" && page.follows === "session" ? "session" : page.live];
  const turn = () => applyTheme(nextTheme(theme));
  return html`
    <header class="head">
      <a class="name" href=${href("prompt")} aria-label="Overture"><${Sign} /><span class="long">Overture</span></a>
      ${page.sheet && html`<div class="where">
        <b class="foreign" title=${page.sheet.cwd}>${page.sheet.project}</b>
        <span class="quiet foreign" title=${page.sheet.about}>${page.sheet.recipe}</span>
      </div>`}
      <span class="spring"></span>
      <span class="state small quiet" role="status"><span class="dot ${dot}"></span>${words}</span>
      <button class="button bare" onClick=${turn} aria-label="Theme: ${theme}" title="Theme: ${theme}"><${Icon} name="theme" /></button>
      <button class="button bare" onClick=${onHelp} aria-label="Keys" title="Keys">?</button>
    </header>`;
}
