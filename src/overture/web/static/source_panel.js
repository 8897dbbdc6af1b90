// Beside a prompt: where the text under the pointer came from, or what all of it is made of; files with their lines.
import { useEffect, useState } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { pieceOf } from "overture/prompt_text.js";
import { ask, inside } from "overture/server.js";
import { copyText, Icon, Path } from "overture/widgets.js";
import { count, hasOwnPrompt, PACES, percent, sourceKind, tierWords, tokens, tokensOf } from "overture/words.js";

const MARKS = {
  hidden: "An invisible character was here",
  neutralised: "This would look like a part of the prompt's own frame",
  secret: "A secret is not shown here",
  cut: "Text was shortened here",
};
const NAMES = { state: "values", rule: "rules", recipe: "the recipe's own text", hook: "hooks" };
const OWN = "the agent's own text"; // of a prompt that was captured
const ROWS = 8;
const AROUND = 8; // lines of a file beside the one that is meant

export function SourcePanel({ page, at, pinned, onClose }) {
  const found = at && pieceOf(page.sheet, at);
  return html`
    <aside class="source-panel ${found ? "has-source" : ""}" aria-label="Where the text comes from">
      ${found ? html`<${SourceOf} page=${page} at=${at} found=${found} pinned=${pinned} onClose=${onClose} />`
        : html`<${Overview} page=${page} />`}
    </aside>`;
}

function SourceOf({ page, at, found, pinned, onClose }) {
  const { block, piece, source } = found;
  const line = source.pinned ? source.line : at.line;
  const n = tokensOf(piece);
  const isFile = source.kind === "file";
  const canShow = source.file && (!inside || `/page/file/${source.file}` in inside);
  return html`
    <div class="told">
      <header>
        <h2 class="foreign">${title(source, line)}</h2>
        ${pinned && html`
          <button class="button bare" onClick=${onClose} aria-label="Unpin"><${Icon} name="close" /></button>`}
      </header>
      <p class="quiet"><span>${source.label === OWN ? "not from a file" : sourceKind(source)}</span>
        ${isFile || !page.captured ? html` · <span>${tierWords(source.tier)}</span>` : ""}
        ${source.outside && html` · <b>outside the repository</b>`}</p>
      ${piece.mark && html`<${MarkNote} mark=${piece.mark} />`}
      <dl>
        <dt>Section</dt><dd class="foreign">${block.name}</dd>
        <dt>Why it is there</dt><dd class="foreign">${block.why}</dd>
        <dt>This piece</dt><dd>${count(n, "token")} of the section's ${tokens(block.tokens, page.sheet)}</dd>
      </dl>
      ${canShow && pinned && html`<${FileExcerpt} id=${source.file} line=${line || 1} version=${page.version} />`}
      ${canShow && html`<p><a href=${href("files", `${source.file}:${line || 1}`)}>Show the whole file</a></p>`}
      ${pinned && isFile && html`<${Open} key=${title(source, line)} source=${source} line=${line || 1} />`}
      ${!pinned && html`<p class="small quiet">Click or press Enter to pin it.</p>`}
    </div>`;
}

function title(source, line) {
  return source.kind === "file" ? `${source.label.replace(/:\d+$/, "")}:${line || 1}` : source.label;
}

function MarkNote({ mark }) {
  return html`
    <div class="mark-note mark-${mark.kind}">
      <b>${MARKS[mark.kind]}</b>
      <p class="foreign">${mark.note}</p>
      ${mark.was && html`<p class="small quiet">In the source:</p><pre class="foreign was">${mark.was}</pre>`}
    </div>`;
}

// To the place itself: in VS Code, or with a line to paste. A saved page may be on another machine.
function Open({ source, line }) {
  const place = title(source, line);
  const path = inside ? null : source.path;
  const [told, setTold] = useState("");
  const copy = (text) => () => copyText(text).then(() => setTold(`copied: ${text}`), (error) => setTold(error.message));
  const editor = path && `$EDITOR +${line} '${path.replaceAll("'", "'\\''")}'`;
  const code = path && `vscode://file${path.split("/").map(encodeURIComponent).join("/")}:${line}`;
  const button = (text, words) => html`
    <button class="button" title=${text} onClick=${copy(text)}><${Icon} name="copy" />${words}</button>`;
  return html`
    <p class="open-source">
      ${path && html`<a class="button" href=${code}>Open in VS Code</a>`}
      ${button(place, "Copy path:line")}
      ${path && button(editor, "Copy $EDITOR command")}
    </p>
    <p class="small quiet foreign" role="status">${told}</p>`;
}

// Before anything is pointed at: what the prompt is made of, the largest first, and what was changed or cut in it.
function Overview({ page }) {
  const { sheet, captured } = page;
  // What was captured counts as a whole: programs put instructions into messages, too.
  const blocks = captured ? [...sheet.blocks, ...sheet.messages] : sheet.blocks;
  const whole = blocks.reduce((sum, block) => sum + block.tokens, 0) || 1;
  return html`
    <div class="told">
      <p class="quiet">Point at any text to see where it comes from.</p>
      <h2>Where it comes from</h2>
      <ul class="shares">${bySource(sheet, blocks).slice(0, ROWS).map(([name, n]) => html`
        <li key=${name}><${Path} kind="name" text=${name} /><span class="number">${tokens(n, sheet)}</span>
        <meter class="bar" min="0" max="1" value=${n / whole} aria-hidden="true"></meter></li>`)}</ul>
      ${!captured && html`<${OneRequest} sheet=${sheet} /><${Paces} sheet=${sheet} />`}
      <${Changed} sheet=${sheet} />
    </div>`;
}

// More skills than there is room for are one row.
function bySource(sheet, blocks) {
  const isSkill = (source) => /\/SKILL\.md$/.test(source.path || "");
  const skills = new Set(sheet.sources.filter(isSkill).map((source) => source.path)).size;
  const nameOf = (source) => {
    if (source.label === OWN) return OWN;
    if (source.kind !== "file") return NAMES[source.kind];
    return skills > ROWS && isSkill(source) ? count(skills, "skill") : source.label.replace(/:\d+$/, "");
  };
  const found = new Map();
  for (const piece of blocks.flatMap((block) => block.pieces)) {
    const name = nameOf(sheet.sources[piece.source]);
    found.set(name, (found.get(name) || 0) + tokensOf(piece));
  }
  return [...found].sort((a, b) => b[1] - a[1]);
}

// The prompt is not all that is sent, and not all that is paid for.
function OneRequest({ sheet }) {
  const { context } = sheet;
  const sum = (shares) => shares.reduce((total, share) => total + share.tokens, 0);
  const rows = [
    ["system prompt", sum(context.system)], ["skills", sum(context.skills)], ["tools", sum(context.tools)],
    ["messages", sum(context.messages) + sum(context.nested)],
  ].filter(([, n]) => n > 0);
  const free = context.window && !hasOwnPrompt(sheet) ? context.window - context.tokens : 0;
  const row = (name, n, kind = "") => html`
    <li key=${name} class=${kind}><span>${name}</span><span class="number">${tokens(n, sheet)}</span></li>`;
  return html`
    <h2>One request</h2>
    <ul class="shares">
      ${rows.map(([name, n]) => row(name, n))}
      ${rows.length > 1 && row("in all", context.tokens, "sum")}
      ${free > 0 && row("free in the window", free, "quiet")}
    </ul>
    ${free < 0 && html`<p class="over" role="alert">${count(-free, "token")} too many for this model.</p>`}
    ${context.not_counted?.length > 0 && html`
      <p class="small quiet">Not counted: <span class="foreign">${context.not_counted.join(", ")}</span></p>`}`;
}

function Paces({ sheet }) {
  return html`
    <h2>How often it changes</h2>
    <ul class="shares">${sheet.paces.map((pace) => html`
      <li key=${pace.name} class="pace-${pace.name}"><span class="tag pace-${pace.name}">${PACES[pace.name]}</span>
        <span class="number">${percent(pace.tokens / (sheet.tokens || 1))}</span></li>`)}</ul>`;
}

function Changed({ sheet }) {
  const marks = sheet.blocks.flatMap((block) => block.pieces).map((piece) => piece.mark?.kind);
  const told = (kind, one, many) => {
    const n = marks.filter((each) => each === kind).length;
    return n && count(n, one, many);
  };
  const rows = [
    told("hidden", "invisible character made visible", "invisible characters made visible"),
    told("neutralised", "place escaped", "places escaped"),
    told("secret", "secret hidden", "secrets hidden"),
    sheet.cuts.length && count(sheet.cuts.length, "part shortened or dropped", "parts shortened or dropped"),
  ].filter(Boolean);
  if (!rows.length) return null;
  return html`<h2>Changed</h2><ul class="shares">${rows.map((row) => html`<li key=${row}>${row}</li>`)}</ul>`;
}

function useFile(id, version) {
  const [file, setFile] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    let here = true;
    ask(`/page/file/${encodeURIComponent(id)}`).then(
      (found) => here && (setFile(found), setProblem(null)),
      (error) => here && (setFile(null), setProblem(error)),
    );
    return () => { here = false; };
  }, [id, version]);
  return [file, problem];
}

// Some lines of a file around the one that is meant.
function FileExcerpt({ id, line, version }) {
  const [file, problem] = useFile(id, version);
  if (problem) return html`<p class="small quiet foreign">${problem.message}</p>`;
  if (!file) return html`<div class="excerpt" aria-busy="true"></div>`;
  const first = Math.max(line - AROUND, 1);
  const lines = file.text.split("\n").slice(first - 1, line + AROUND);
  return html`<div class="excerpt" tabindex="0" role="region" aria-label=${`Lines of ${file.shown}`}>
    <${FileLines} lines=${lines} first=${first} line=${line} /></div>`;
}

// A whole file with its lines; the one that is meant stands in the middle.
export function FileText({ id, line, version }) {
  const [file, problem] = useFile(id, version);
  useEffect(() => { document.getElementById("line-on")?.scrollIntoView({ block: "center" }); }, [file?.id, line]);
  if (problem) return html`<div class="card"><div class="inside foreign">${problem.message}</div></div>`;
  if (!file) return html`<div class="card file-text" aria-busy="true"></div>`;
  const lines = file.text.split("\n");
  return html`
    <section class="card file-text" aria-label=${file.shown}>
      <header><h2 class="foreign">${file.shown}</h2>
        <span class="small quiet">${count(lines.length, "line")}${file.cut ? `, ${file.cut}` : ""}</span></header>
      <div class="excerpt" tabindex="0" role="region" aria-label=${`Text of ${file.shown}`}>
        <${FileLines} lines=${lines} first=${1} line=${line} /></div>
    </section>`;
}

function FileLines({ lines, first, line }) {
  return html`${lines.map((text, at) => {
    const on = first + at === line;
    return html`<div class="file-line ${on ? "on" : ""}" id=${on ? "line-on" : undefined}>
      <span class="at">${first + at}</span><span class="foreign text">${text || " "}</span></div>`;
  })}`;
}
