// The head: which project, which recipe, whether it follows what happens.
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { language, LANGUAGES, speak } from "overture/language.js";
import { Icon, Sign } from "overture/parts/icons.js";
import { said, say } from "overture/said.js";
import { applyTheme, nextTheme, themeWords, useTheme } from "overture/theme.js";

const LIVE = {
  live: ["live", say("follows your edits")],
  session: ["live", say("follows the session")],
  away: ["away", say("not connected")],
  gone: ["away", say("the session has ended")],
  file: ["away", say("a saved page")],
};

export function Head({ page, onHelp }) {
  const theme = useTheme();
  const [dot, words] = page.broken ? ["broken", say("an edit can't be used")] : LIVE[page.live === "live" && page.follows === "session" ? "session" : page.live];
  const turn = () => applyTheme(nextTheme(theme));
  return html`
    <header class="head">
      <a class="name" href=${href("prompt")} aria-label="Overture"><${Sign} /><span class="long">Overture</span></a>
      ${page.sheet && html`<div class="where">
        <b class="foreign" title=${page.sheet.cwd}>${page.sheet.project}</b>
        <span class="quiet foreign" title=${said(page.sheet.about)}>${page.sheet.recipe}</span>
      </div>`}
      <span class="spring"></span>
      <span class="state small quiet" role="status"><span class="dot ${dot}"></span>${words}</span>
      <select class="field languages" aria-label=${say("Language")} title=${say("Language")} value=${language} onChange=${(event) => speak(event.target.value)}>
        ${Object.entries(LANGUAGES).map(([tag, name]) => html`<option key=${tag} value=${tag} lang=${tag}>${name}</option>`)}</select>
      <button class="button bare" onClick=${turn} aria-label=${themeWords(theme)} title=${themeWords(theme)}><${Icon} name="theme" /></button>
      <button class="button bare" onClick=${onHelp} aria-label=${say("Keys")} title=${say("Keys")}>?</button>
    </header>`;
}
