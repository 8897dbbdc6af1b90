// The map: what takes how much room in a request, what the model's window has left, and what it costs.
import { useMemo } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { Budget, Cuts } from "overture/parts/budget.js";
import { partsOf, zoomedInto } from "overture/parts/map_parts.js";
import { MapPicture } from "overture/parts/map_picture.js";
import { MapPrice } from "overture/parts/map_price.js";
import { MapTable } from "overture/parts/map_table.js";
import { MapWindow } from "overture/parts/map_window.js";
import { say } from "overture/say.js";
import { hasOwnPrompt, PACES, tokens } from "overture/words.js";

export function MapView({ page, place }) {
  const { sheet } = page;
  const groups = useMemo(() => partsOf(sheet), [sheet]);
  const trail = zoomedInto(groups, place);
  const shown = trail.length ? [{ look: trail[0].look, often: trail[0].often, ...trail.at(-1), parts: trail.at(-1).parts || [] }] : groups;
  return html`
    <div class="map-view">
      <div class="map-column">
        <div class="map-head">
          <h1>${tokens(sheet.context.tokens, sheet)} <span>${hasOwnPrompt(sheet) ? say("tokensBesideOwnPrompt") : say("tokensMakeUpARequest")}</span></h1>
          <p class="quiet">${say("LargerBoxMoreThemTakes")}</p>
        </div>
        <${Budget} page=${page} alone />
        ${trail.length > 0 && html`<${Trail} trail=${trail} place=${place} />`}
        ${groups.length ? html`<${MapPicture} sheet=${sheet} groups=${shown} at=${trail.length ? place : ""} />` : html`<div class="empty"><b>${say("ThePromptIsEmpty")}</b>${say("GiveRecipeSectionOrProject")}</div>`}
        <${Legend} groups=${groups} />
        <${Cuts} sheet=${sheet} problem=${page.wishProblem} />
        <h2 class="map-rows">${say("InRows")}</h2>
        <${MapTable} sheet=${sheet} groups=${shown} />
      </div>
      <aside class="map-side" aria-label=${say("WindowAndPrice")}>
        <div class="map-cards"><${MapWindow} page=${page} /><${MapPrice} sheet=${sheet} /></div>
      </aside>
    </div>`;
}

function Trail({ trail, place }) {
  const steps = place.split(".");
  return html`<nav class="trail" aria-label=${say("Zoom")}><a href=${href("map")}>${say("WholeRequest")}</a>${trail.map((each, at) => html` › ${at === trail.length - 1
    ? html`<b class="foreign" aria-current="page">${each.name}</b>` : html`<a class="foreign" href=${href("map", steps.slice(0, at + 1).join("."))}>${each.name}</a>`}`)}</nav>`;
}

function Legend({ groups }) {
  const looks = new Map(groups.map((each) => [each.look, each.often || each.name]));
  const order = [...Object.keys(PACES).map((pace) => `pace-${pace}`), "tools", "conversation"];
  return html`<p class="map-legend">${order.filter((look) => looks.has(look)).map((look) => html`<span key=${look} class="tag ${look}">${looks.get(look)}</span>`)}<span class="tag own">${say("theRecipesOwnWords")}</span></p>`;
}
