// The grid: a row for each file, a column for each agent. Skills and the like are one row a folder, which opens.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { Path } from "overture/parts/path.js";
import { say } from "overture/say.js";
import { number, readingOf, READS, tokens } from "overture/words.js";

const TEXTS = ["instructions", "rule"]; // each is a row of its own
const KINDS = { skill: (n) => say("nSkills", { n }), command: (n) => say("nCommands", { n }), agent: (n) => say("nSubagents", { n }) };

export function AgentsGrid({ answer, chosen, onChoose }) {
  return html`
    <div class="grid-frame scrolls" tabindex="0" role="region" aria-label=${say("FilesAndAgents")}>
      <table class="agents-grid ${answer.agents.length > 6 ? "many" : "few"}">
        <thead><tr><th scope="col">${say("File")}</th>${answer.agents.map((agent) => html`<th scope="col" key=${agent.name}><span class="turned">${agent.title}</span></th>`)}</tr></thead>
        <tbody>${grouped(answer).map((group) => (group.files.length === 1
    ? html`<${Row} key=${group.files[0].path} file=${group.files[0]} answer=${answer} chosen=${chosen} onChoose=${onChoose} />`
    : html`<${Group} key=${group.name} group=${group} answer=${answer} chosen=${chosen} onChoose=${onChoose} />`))}</tbody>
        <tfoot><tr><th scope="row">${say("TokensInAll")}</th>${answer.agents.map((agent) => html`<td key=${agent.name} class="sum">${tokens(agent.tokens, agent)}</td>`)}</tr></tfoot>
      </table>
    </div>`;
}

// Instruction files first, in their order; then a group for each folder of skills, commands or sub-agents. Those that
// every agent skips are one group, wherever they are.
function grouped({ files, cells }) {
  const groups = new Map();
  for (const file of files) {
    const isSkipped = Object.values(cells[file.path] || {}).every((cell) => readingOf(cell) === "skipped");
    const folder = isSkipped ? "" : file.shown.replace(/[^/]*$/, "").replace(file.kind === "skill" ? /[^/]+\/$/ : "", "");
    const name = TEXTS.includes(file.kind) ? file.path : `${file.kind} ${folder}`;
    if (!groups.has(name)) groups.set(name, { name, folder, kind: file.kind, files: [] });
    groups.get(name).files.push(file);
  }
  return [...groups.values()].sort((a, b) => place(a) - place(b));
}

const place = ({ kind, folder }) => (TEXTS.includes(kind) ? 0 : folder ? 1 : 2);

function Row({ file, answer, chosen, onChoose }) {
  return html`
    <tr><th scope="row"><${Path} kind="code" text=${file.shown} title=${file.path} /></th>
    ${answer.agents.map((agent) => html`<td key=${agent.name}><${Cell} file=${file} agent=${agent} cell=${answer.cells[file.path]?.[agent.name]} chosen=${chosen} onChoose=${onChoose} /></td>`)}</tr>`;
}

function Group({ group, answer, chosen, onChoose }) {
  const [open, setOpen] = useState(false);
  return html`
    <tr class="group"><th scope="row"><button class="fold" data-step aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "▾" : "▸"} ${group.folder && html`<${Path} kind="code" text=${group.folder} /> `}<span class="quiet">${groupWords(group)}</span></button></th>
    ${answer.agents.map((agent) => html`<td key=${agent.name} class="sum">${counted(group.files, answer.cells, agent.name)}</td>`)}</tr>
    ${open && group.files.map((file) => html`<${Row} key=${file.path} file=${file} answer=${answer} chosen=${chosen} onChoose=${onChoose} />`)}`;
}

function groupWords({ kind, folder, files }) {
  const what = KINDS[kind](files.length);
  return folder ? what : say("skippedByAll", { what });
}

// How many of a group an agent gets.
function counted(files, cells, name) {
  const readings = files.map((file) => readingOf(cells[file.path]?.[name]));
  const n = readings.filter((reading) => !["skipped", "same"].includes(reading)).length;
  if (!n) return READS[readings.includes("same") ? "same" : "skipped"][0];
  return n === files.length ? number(n) : say("atOfAll", { at: number(n), all: number(files.length) });
}

function Cell({ file, agent, cell, chosen, onChoose }) {
  const reading = readingOf(cell);
  const [sign, word] = READS[reading];
  const on = chosen && chosen.path === file.path && chosen.agent === agent.name;
  const how = cell?.same ? `${word}: ${cell.same}` : word;
  return html`<button class="cell ${reading}" data-step aria-pressed=${Boolean(on)} aria-label=${say("agentFileHow", { agent: agent.title, file: file.shown, how })} title=${`${agent.title}: ${how}`} onClick=${() => onChoose(on ? null : { path: file.path, agent: agent.name })}>${sign}</button>`;
}
