// Who reads what: each instruction file here and each agent; a cell says how, and why.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { inside, useAnswer } from "overture/server.js";
import { Busy, Icon, Path, ShownProblem } from "overture/widgets.js";
import { count, number, readingOf, READS, tokens } from "overture/words.js";

const FEW = 4; // agents that a line names
const ROW_KINDS = ["instructions", "rule"]; // each file is a row of its own
const GROUP_KINDS = { skill: "skill", command: "command", agent: "sub-agent" };
const KNOWN = {
  run: "seen in a run", code: "read in its source", docs: "documented by its vendor", reported: "reported by others",
};
const SENTENCES = {
  loaded: "Loaded.", truncated: "Truncated.", listed: "Listed: name and description only.",
  on_demand: "Loaded on demand.", same: "The same file is loaded under another name.", skipped: "Skipped:",
};

export function AgentsView({ page }) {
  const [touching, setTouching] = useState("");
  const [everyone, setEveryone] = useState(false);
  const [chosen, setChosen] = useState(null);
  const query = new URLSearchParams({ ...(touching && { touching }), ...(everyone && { all: "1" }) }).toString();
  const { answer, problem, busy } = useAnswer(`/page/agents${query && `?${query}`}`, page.version);
  const take = (event) => { event.preventDefault(); setTouching(new FormData(event.target).get("touching").trim()); };
  return html`
    <div class="page-view agents-view">
      <h1>Agents</h1>
      <p class="lead">Which instruction files each coding agent reads here, and how. Select a cell to see why.</p>
      ${!inside && html`<div class="agents-tools">
        <form class="row" onSubmit=${take} role="search">
          <label class="row">When it works on${" "}
            <input class="field" name="touching" data-find placeholder="src/app.py" defaultValue=${touching} /></label>
          <button class="button">Show</button>
        </form>
        <label class="row"><input type="checkbox" checked=${everyone}
          onChange=${(event) => setEveryone(event.target.checked)} /> every known agent</label>
        <span class="small quiet" role="status">${busy ? "Looking…" : ""}</span>
      </div>`}
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} word="Collecting what each agent reads…" />`}
      ${answer && !problem && html`<${Answer} answer=${answer} chosen=${chosen} setChosen=${setChosen} />`}
    </div>`;
}

function Answer({ answer, chosen, setChosen }) {
  if (!answer.files.length) {
    return html`<div class="empty"><b>There are no instruction files here</b>
      Write an AGENTS.md: most agents load it when they start.</div>`;
  }
  // Only the signs that stand in the grid.
  const found = new Set(answer.files.flatMap((file) => answer.agents.map((agent) => readingOf(useOf(file, agent)))));
  const legend = Object.entries(READS).filter(([name]) => found.has(name)).map(([, words]) => words);
  return html`
    <p class="legend small quiet">${legend.map(([sign, word]) => html`
      <span key=${word}><b aria-hidden="true">${sign}</b> ${word}</span>`)}</p>
    <${Grid} answer=${answer} chosen=${chosen} onChoose=${setChosen} />
    ${chosen && html`<${CellWhy} answer=${answer} chosen=${chosen} onClose=${() => setChosen(null)} />`}
    <${Notes} answer=${answer} />`;
}

// What an agent does with a file; nothing where it does not look for it.
const useOf = (file, agent) => file.uses.find((use) => use.agent === agent.name);

// A row for each file, a column for each agent. Skills and the like are one row a folder, which opens.
function Grid({ answer, chosen, onChoose }) {
  const { agents } = answer;
  const shared = { answer, chosen, onChoose };
  return html`
    <div class="grid-frame scrolls" tabindex="0" role="region" aria-label="Files and agents">
      <table class="agents-grid ${agents.length > 6 ? "many" : "few"}">
        <thead><tr><th scope="col">File</th>${agents.map((agent) => html`
          <th scope="col" key=${agent.name}><span class="turned">${agent.title}</span></th>`)}</tr></thead>
        <tbody>${grouped(answer).map((group) => (group.files.length === 1
          ? html`<${Row} key=${group.files[0].path} file=${group.files[0]} ...${shared} />`
          : html`<${Group} key=${group.name} group=${group} ...${shared} />`))}</tbody>
        <tfoot><tr><th scope="row">Tokens in all</th>${agents.map((agent) => html`
          <td key=${agent.name} class="sum">${tokens(agent.tokens, agent)}</td>`)}</tr></tfoot>
      </table>
    </div>`;
}

// Instruction files first, in their order; then a group for each folder of skills, commands or sub-agents. Those that
// every agent skips are one group, wherever they are.
function grouped({ files }) {
  const groups = new Map();
  for (const file of files) {
    const isSkipped = file.uses.every((use) => readingOf(use) === "skipped");
    const parent = file.path.replace(/[^/]*$/, "");
    const folder = isSkipped ? "" : parent.replace(file.kind === "skill" ? /[^/]+\/$/ : "", "");
    const name = ROW_KINDS.includes(file.kind) ? file.path : `${file.kind} ${folder}`;
    if (!groups.has(name)) groups.set(name, { name, folder, kind: file.kind, files: [] });
    groups.get(name).files.push(file);
  }
  const rank = ({ kind, folder }) => (ROW_KINDS.includes(kind) ? 0 : folder ? 1 : 2);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b));
}

function Row({ file, answer, chosen, onChoose }) {
  return html`
    <tr><th scope="row"><${Path} kind="code" text=${file.path} /></th>
    ${answer.agents.map((agent) => html`<td key=${agent.name}>
      <${Cell} file=${file} agent=${agent} chosen=${chosen} onChoose=${onChoose} /></td>`)}</tr>`;
}

function Group({ group: { folder, kind, files }, answer, chosen, onChoose }) {
  const [open, setOpen] = useState(false);
  const what = count(files.length, GROUP_KINDS[kind]);
  return html`
    <tr class="group"><th scope="row">
      <button class="fold" data-step aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "▾" : "▸"}${" "}
        ${folder && html`<${Path} kind="code" text=${folder} /> `}
        <span class="quiet">${folder ? what : `${what}, skipped by all`}</span></button></th>
    ${answer.agents.map((agent) => html`
      <td key=${agent.name} class="sum">${counted(files, agent)}</td>`)}</tr>
    ${open && files.map((file) => html`
      <${Row} key=${file.path} file=${file} answer=${answer} chosen=${chosen} onChoose=${onChoose} />`)}`;
}

// How many of a group an agent gets.
function counted(files, agent) {
  const readings = files.map((file) => readingOf(useOf(file, agent)));
  const n = readings.filter((reading) => !["skipped", "same"].includes(reading)).length;
  if (!n) return READS[readings.includes("same") ? "same" : "skipped"][0];
  return n === files.length ? number(n) : `${number(n)} of ${number(files.length)}`;
}

function Cell({ file, agent, chosen, onChoose }) {
  const use = useOf(file, agent);
  const reading = readingOf(use);
  const [sign, word] = READS[reading];
  const on = Boolean(chosen && chosen.path === file.path && chosen.agent === agent.name);
  const how = use?.same_as ? `${word}: ${use.same_as}` : word;
  return html`<button class="cell ${reading}" data-step aria-pressed=${on}
    aria-label=${`${agent.title}, ${file.path}: ${how}`} title=${`${agent.title}: ${how}`}
    onClick=${() => onChoose(on ? null : { path: file.path, agent: agent.name })}>${sign}</button>`;
}

// Why an agent reads a file as it does.
function CellWhy({ answer, chosen, onClose }) {
  const agent = answer.agents.find((each) => each.name === chosen.agent);
  const file = answer.files.find((each) => each.path === chosen.path);
  if (!agent || !file) return null;
  const use = useOf(file, agent);
  const how = KNOWN[use?.known || agent.known] || agent.known;
  return html`
    <section class="card cell-why" aria-live="polite" aria-label="Why">
      <header><h2>${agent.title} and <span class="foreign">${file.path}</span></h2>
        <button class="button bare" onClick=${onClose} aria-label="Close"><${Icon} name="close" /></button></header>
      <div class="inside">
        <p><b>${SENTENCES[readingOf(use)]}</b>${" "}
          <span class="foreign">${use?.text || "its rules do not name this file"}</span></p>
        ${use?.last_line && html`<p>Its text ends after line ${number(use.last_line)}${use.lines
          ? ` of ${number(use.lines)}` : ""}.</p>`}
        ${use?.tokens > 0 && html`<p>${count(use.tokens, "token")}.</p>`}
        <p class="small quiet">How this is known: ${how}, version ${agent.version}, checked ${agent.checked}.</p>
      </div>
    </section>`;
}

function Notes({ answer }) {
  if (!answer.findings.length) return null;
  // The same, said of several files, is one line, which opens.
  const groups = Map.groupBy(answer.findings, (note) => `${note.agents} ${note.message}`);
  return html`<h2>What to know</h2><ul class="said">${[...groups.values()].map((notes) => html`
    <li class="foreign">${notes.length === 1 ? noteWords(notes[0], answer.agents) : html`
      <details>
        <summary>${noteWords({ ...notes[0], shown: count(notes.length, "file"), line: null }, answer.agents)}</summary>
        <ul>${notes.map((note) => html`<li class="code">${placeWords(note)}</li>`)}</ul></details>`}</li>`)}</ul>
    <p class="small quiet">Nothing is written from here. <code>overture agents --fix</code> shows what it can change.</p>`;
}

const placeWords = ({ shown, line }) => shown && `${shown}${line ? `:${line}` : ""}`;

// `Codex, Cursor: AGENTS.md:3: what is wrong`
function noteWords(note, known) {
  const { agents } = note;
  const title = (name) => known.find((each) => each.name === name).title;
  const who = agents.length > FEW ? count(agents.length, "agent") : agents.map(title).join(", ");
  return [who, placeWords(note), note.message].filter(Boolean).join(": ");
}
