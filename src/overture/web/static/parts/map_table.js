// The same as the picture, in rows: for those who would rather read, or don't see it.
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { percent } from "overture/words.js";
import { count } from "overture/parts/map_parts.js";

const WHATS = { tool: say("tool"), skill: say("skill") };

export function MapTable({ sheet, groups }) {
  return html`
    <div class="scrolls">
      <table class="table map-table">
        <caption class="aside-word">${say("TokensSectionFileSkillTool")}</caption>
        <thead><tr><th scope="col">${say("Name")}</th><th scope="col" class="often">${say("Changes")}</th><th scope="col" class="number">${say("Tokens")}</th><th scope="col" class="number">${say("Share")}</th></tr></thead>
        <tbody>${groups.map((each) => html`
          <${Row} key=${each.id} sheet=${sheet} each=${each} top />
          ${each.parts.length > 1 && each.parts.map((part) => html`<${Row} key=${`${each.id}/${part.id}`} sheet=${sheet} each=${part} />`)}`)}
        </tbody>
      </table>
    </div>`;
}

function Row({ sheet, each, top }) {
  const name = html`<span class="foreign" title=${each.full}>${each.name}</span>`;
  return html`
    <tr class=${top ? "top" : "below"}>
      <th scope="row">${top && html`<span class="tag ${each.look}"></span>`}${each.href ? html`<a href=${each.href}>${name}</a>` : name}${each.what && each.what !== "own" && each.what !== "file" && html` <span class="quiet">${WHATS[each.what] || each.what}</span>`}</th>
      <td class="often quiet">${each.often}</td>
      <td class="number">${count(sheet, each)}</td>
      <td class="number quiet">${percent(each.tokens / (sheet.context.tokens || 1))}</td>
    </tr>`;
}
