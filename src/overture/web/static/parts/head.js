// The head: which project, which agent or recipe, whether it follows what happens.
import { canTry, href } from "overture/address.js";
import { html } from "overture/html.js";
import { Choice } from "overture/parts/choice.js";
import { Icon, Sign } from "overture/parts/icons.js";
import { say } from "overture/say.js";
import { applyTheme, nextTheme, themeWords, useTheme } from "overture/theme.js";

const LIVE = {
  live: ["live", say("followsYourEdits")],
  session: ["live", say("followsTheSession")],
  waits: ["away", say("waitsForASession")],
  still: ["away", say("doesNotFollowEdits")],
  wait: ["away", say("connecting")],
  away: ["away", say("notConnected")],
  gone: ["away", say("theSessionHasEnded")],
  file: ["away", say("aSavedPage")],
};

// Of a session elsewhere, its turns; of a project, edits, unless the server has nothing to watch files with.
function following({ sent, follows }) {
  if (!canTry) return sent ? "session" : "waits";
  return follows === false ? "still" : "live";
}

export function Head({ page, onHelp }) {
  const theme = useTheme();
  const [dot, words] = page.broken ? ["broken", say("anEditCantBeUsed")] : LIVE[page.live === "live" ? following(page) : page.live];
  const turn = () => applyTheme(nextTheme(theme));
  return html`
    <header class="head">
      <a class="name" href=${href("prompt")} aria-label="Overture"><${Sign} /><span class="long">Overture</span></a>
      <div class="where">
        <b class="foreign" title=${page.sheet?.cwd}>${page.sheet?.project}</b>
        <${Choice} page=${page} />
      </div>
      <span class="spring"></span>
      <span class="state small quiet" role="status"><span class="dot ${dot}"></span>${words}</span>
      <button class="button bare" onClick=${turn} aria-label=${themeWords(theme)} title=${themeWords(theme)}><${Icon} name="theme" /></button>
      <button class="button bare" onClick=${onHelp} aria-label=${say("Keys")} title=${say("Keys")}>?</button>
    </header>`;
}
