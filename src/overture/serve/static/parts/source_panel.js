// Beside the prompt: where the text under the pointer came from, and, once it is kept in view, that file at that line.
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { FileExcerpt } from "overture/parts/file_excerpt.js";
import { Icon } from "overture/parts/icons.js";
import { Overview, OWN } from "overture/parts/overview.js";
import { pieceOf } from "overture/parts/runs.js";
import { said, say } from "overture/said.js";
import { inside } from "overture/server.js";
import { sourceKind, sourceName, tierWords, tokens } from "overture/words.js";

const MARKS = {
  hidden: say("A character that nobody sees stood here"),
  neutralised: say("This would have passed for part of the prompt's own frame"),
  secret: say("A secret is not shown here"),
  cut: say("Text was shortened here"),
};

export function SourcePanel({ page, at, pinned, onClose }) {
  const found = at && pieceOf(page.sheet, at);
  return html`
    <aside class="source-panel ${found ? "has-source" : ""}" aria-label=${say("Where the text comes from")}>
      ${found ? html`<${Told} page=${page} at=${at} found=${found} pinned=${pinned} onClose=${onClose} />` : html`<${Overview} page=${page} />`}
    </aside>`;
}

function Told({ page, at, found, pinned, onClose }) {
  const { block, piece, source } = found;
  const line = source.pinned ? source.line : at.line;
  return html`
    <div class="told">
      <header>
        <h2 class="foreign">${title(source, line)}</h2>
        ${pinned && html`<button class="button bare" onClick=${onClose} aria-label=${say("Let it go")}><${Icon} name="close" /></button>`}
      </header>
      <p class="quiet"><span>${source.label === OWN ? say("no file accounts for it") : sourceKind(source)}</span>${source.kind === "file" || !page.captured ? html` · <span>${tierWords(source.tier)}</span>` : ""}${source.outside && html` · <b>${say("outside the repository")}</b>`}</p>
      ${piece.mark && html`<${MarkNote} mark=${piece.mark} />`}
      <dl>
        <dt>${say("Section")}</dt><dd class="foreign">${block.name}</dd>
        <dt>${say("Why it is there")}</dt><dd class="foreign">${said(block.why)}</dd>
        <dt>${say("This piece")}</dt><dd>${say("{n} token of the section's {all}|{n} tokens of the section's {all}", { n: piece.tokens, all: tokens(block.tokens, page.sheet) })}</dd>
      </dl>
      ${canShow(source) && pinned && html`<${FileExcerpt} id=${source.file} line=${line || 1} version=${page.version} />`}
      ${canShow(source) && html`<p><a href=${href("files", `${source.file}:${line || 1}`)}>${say("Show the whole file")}</a></p>`}
      ${!pinned && html`<p class="small quiet">${say("Click, or press Enter, to keep it in view.")}</p>`}
    </div>`;
}

function canShow({ file }) {
  return file && (!inside || `/page/file/${file}` in inside);
}

function title(source, line) {
  return source.kind === "file" ? `${source.label.replace(/:\d+$/, "")}:${line || 1}` : sourceName(source);
}

function MarkNote({ mark }) {
  return html`
    <div class="mark-note mark-${mark.kind}">
      <b>${MARKS[mark.kind]}</b>
      <p class="foreign">${said(mark.note)}</p>
      ${mark.was && html`<p class="small quiet">${say("What is there in the source:")}</p><pre class="foreign was">${mark.was}</pre>`}
    </div>`;
}
