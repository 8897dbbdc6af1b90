// Why an agent reads a file as it does.
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { say, tell } from "overture/say.js";
import { readingOf } from "overture/words.js";

const KNOWN = { run: say("seenInARun"), code: say("readInItsSource"), docs: say("documentedByItsMakers"), reported: say("reportedByOthers") };
const READ = {
  loaded: say("Loaded"), truncated: say("Truncated"), listed: say("ListedNameAndDescription"), on_demand: say("LoadedOnDemand"), same: say("SameFileLoaded"), skipped: say("Skipped"),
};

export function CellWhy({ answer, chosen, onClose }) {
  const agent = answer.agents.find((each) => each.name === chosen.agent);
  const file = answer.files.find((each) => each.path === chosen.path);
  const cell = answer.cells[chosen.path]?.[chosen.agent];
  if (!agent || !file) return null;
  return html`
    <section class="card cell-why" aria-live="polite" aria-label=${say("Why")}>
      <header><h2>${tell("agentAndFile", { agent: html`<span>${agent.title}</span>`, file: html`<span class="foreign">${file.shown}</span>` })}</h2><button class="button bare" onClick=${onClose} aria-label=${say("Close")}><${Icon} name="close" /></button></header>
      <div class="inside">
        <p><b>${READ[readingOf(cell)]}</b> <span class="foreign">${cell?.why || say("NoneRulesNamesFile")}</span></p>
        ${cell?.last_line && html`<p>${cell.lines ? say("TextEndsAfterLineOfLines", { line: cell.last_line, lines: cell.lines }) : say("TextEndsAfterLine", { line: cell.last_line })}</p>`}
        ${cell?.tokens > 0 && html`<p>${say("nTokensSentence", { n: cell.tokens })}</p>`}
        ${cell?.frame && html`<p class="small quiet">${say("RightBeforeAgentSays")}</p><pre class="foreign was">${cell.frame}</pre>`}
        <p class="small quiet">${say("HowKnownHowVersionVersion", { how: KNOWN[cell?.known || agent.known] || agent.known, version: agent.version, day: agent.checked })}</p>
      </div>
    </section>`;
}
