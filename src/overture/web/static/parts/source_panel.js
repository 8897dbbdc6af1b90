// Beside the prompt: where the text under the pointer came from, and, once it is kept in view, that file at that line.
import { useState } from "preact/hooks";
import { href } from "overture/address.js";
import { copyText } from "overture/clipboard.js";
import { html } from "overture/html.js";
import { FileExcerpt } from "overture/parts/file_excerpt.js";
import { Icon } from "overture/parts/icons.js";
import { Overview, OWN } from "overture/parts/overview.js";
import { pieceOf } from "overture/parts/runs.js";
import { say } from "overture/say.js";
import { inside } from "overture/server.js";
import { sourceKind, tierWords, tokens, tokensOf } from "overture/words.js";

const MARKS = {
  hidden: say("CharacterNobodySeesStoodHere"),
  neutralised: say("WouldHavePassedPartPrompts"),
  secret: say("SecretNotShownHere"),
  cut: say("TextWasShortenedHere"),
};

export function SourcePanel({ page, at, pinned, onClose }) {
  const found = at && pieceOf(page.sheet, at);
  return html`
    <aside class="source-panel ${found ? "has-source" : ""}" aria-label=${say("WhereTheTextComesFrom")}>
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
        ${pinned && html`<button class="button bare" onClick=${onClose} aria-label=${say("LetItGo")}><${Icon} name="close" /></button>`}
      </header>
      <p class="quiet"><span>${source.label === OWN ? say("noFileAccountsForIt") : sourceKind(source)}</span>${source.kind === "file" || !page.captured ? html` · <span>${tierWords(source.tier)}</span>` : ""}${source.outside && html` · <b>${say("outsideTheRepository")}</b>`}</p>
      ${piece.mark && html`<${MarkNote} mark=${piece.mark} />`}
      <dl>
        <dt>${say("Section")}</dt><dd class="foreign">${block.name}</dd>
        <dt>${say("WhyItIsThere")}</dt><dd class="foreign">${block.why}</dd>
        <dt>${say("ThisPiece")}</dt><dd>${say("nTokensSectionsAll", { n: tokensOf(piece), all: tokens(block.tokens, page.sheet) })}</dd>
      </dl>
      ${canShow(source) && pinned && html`<${FileExcerpt} id=${source.file} line=${line || 1} version=${page.version} />`}
      ${canShow(source) && html`<p><a href=${href("files", `${source.file}:${line || 1}`)}>${say("ShowTheWholeFile")}</a></p>`}
      ${pinned && source.kind === "file" && html`<${Open} key=${title(source, line)} source=${source} line=${line || 1} />`}
      ${!pinned && html`<p class="small quiet">${say("ClickToKeep")}</p>`}
    </div>`;
}

// To the place itself: in VS Code, or with a line to paste. A saved page may be on another machine.
function Open({ source, line }) {
  const place = title(source, line);
  const [told, setTold] = useState("");
  const copy = (text) => copyText(text).then(() => setTold(say("copiedWhat", { what: text })), (error) => setTold(error.message));
  return html`
    <p class="open-source">
      ${!inside && source.path && html`<a class="button" href=${`vscode://file${source.path.split("/").map(encodeURIComponent).join("/")}:${line}`}>${say("OpenInVsCode")}</a>`}
      <button class="button" title=${place} onClick=${() => copy(place)}><${Icon} name="copy" />${say("CopyPathAndLine")}</button>
      ${!inside && source.path && html`<button class="button" title=${editorLine(source, line)} onClick=${() => copy(editorLine(source, line))}><${Icon} name="copy" />${say("CopyEditorCommand")}</button>`}
    </p>
    <p class="small quiet foreign" role="status">${told}</p>`;
}

const editorLine = ({ path }, line) => `$EDITOR +${line} '${path.replaceAll("'", "'\\''")}'`;

function canShow({ file }) {
  return file && (!inside || `/page/file/${file}` in inside);
}

function title(source, line) {
  return source.kind === "file" ? `${source.label.replace(/:\d+$/, "")}:${line || 1}` : source.label;
}

function MarkNote({ mark }) {
  return html`
    <div class="mark-note mark-${mark.kind}">
      <b>${MARKS[mark.kind]}</b>
      <p class="foreign">${mark.note}</p>
      ${mark.was && html`<p class="small quiet">${say("WhatThereSource")}</p><pre class="foreign was">${mark.was}</pre>`}
    </div>`;
}
