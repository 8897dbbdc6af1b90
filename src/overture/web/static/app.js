// The page: which sheet is shown, which view, and what is heard from the server.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useAddress } from "overture/address.js";
import { Head, Rail, Strips } from "overture/frame.js";
import { html, visible } from "overture/html.js";
import { ask, inside, listen } from "overture/server.js";
import { Help, useKeys } from "overture/theme_and_keys.js";
import { AgentsView } from "overture/views/agents.js";
import { CallsView } from "overture/views/calls.js";
import { CheckView } from "overture/views/check.js";
import { FilesView } from "overture/views/files.js";
import { PromptView } from "overture/views/prompt.js";
import { TurnsView } from "overture/views/turns.js";

const VIEW = {
  prompt: PromptView, turns: TurnsView, agents: AgentsView, files: FilesView, check: CheckView, calls: CallsView,
};

export function App() {
  const address = useAddress();
  const page = usePage(address);
  const [help, setHelp] = useState(false);
  useKeys({ page, address, setHelp, help });
  useEffect(() => {
    if (page.sheet || !inside) document.title = page.sheet ? `${visible(page.sheet.project)} · Overture` : "Overture";
  }, [page.sheet]);
  const View = VIEW[address.view];
  const skip = () => document.getElementById("main").focus();
  return html`
    <div class="frame">
      <button class="button skip" onClick=${skip}>Skip to the content</button>
      <${Head} page=${page} address=${address} onHelp=${() => setHelp(true)} />
      <${Strips} page=${page} address=${address} />
      <${Rail} page=${page} address=${address} />
      <main class="main ${address.view === "prompt" ? "whole" : ""}" id="main" tabindex="-1">
        ${page.sheet || address.view === "calls"
          ? html`<${View} page=${page} place=${address.place} />` : html`<${Waiting} problem=${page.problem} />`}
      </main>
      <${Help} open=${help} onClose=${() => setHelp(false)} />
      <div class="aside-word" role="status">${page.said}</div>
    </div>`;
}

function Waiting({ problem }) {
  if (!problem) return html`<div class="empty" aria-busy="true">Reading the project…</div>`;
  return html`<div class="empty"><b>There is nothing to show yet</b>
    <span class="foreign">${problem.message}</span></div>`;
}

// What is shown: the prompt that is sent by the agent and the model that the address names, or, within a budget there,
// what it would be.
function usePage({ view, recipe, model, budget }) {
  const [sheet, setSheet] = useState(null);
  const [problem, setProblem] = useState(null);
  const [live, setLive] = useState(inside ? "file" : "wait");
  const [broken, setBroken] = useState(null);
  const [said, setSaid] = useState("");
  const [version, setVersion] = useState(0);
  const [recorded, setRecorded] = useState(0);
  const known = useRef({ turn: null, asking: null, end: null, sent: null });

  const refresh = useCallback(() => {
    known.current.end?.abort();
    known.current.end = new AbortController();
    known.current.asking = take(known.current.end.signal);
  }, [recipe, model, budget]);
  const take = async (signal) => {
    try {
      const taken = await ask(`/page/sheet${budget ? `?budget=${budget}` : ""}`, signal);
      known.current.turn = taken.turn;
      if (!budget) known.current.sent = { choice: `${recipe} ${model}`, sheet: taken };
      setSheet((had) => keepSame(had, { ...taken, trying: Boolean(budget) }));
      setBroken(taken.broken);
      setProblem(null);
      setVersion((at) => at + 1);
    } catch (error) {
      if (error.name !== "AbortError") setProblem(error);
    }
  };
  const latest = useRef(refresh);
  latest.current = refresh;

  useEffect(() => {
    const { sent } = known.current;
    if (!budget && sent?.choice === `${recipe} ${model}`) setSheet((had) => keepSame(had, sent.sheet)); // at once
    refresh();
  }, [recipe, model, budget]);
  useEffect(() => {
    let lost = false;
    return listen((name, data) => {
      if (name === "here" || name === "away") setLive(name === "here" ? "live" : "away");
      if (name === "here" && lost) latest.current(); // another server may have another prompt
      if (name === "here" || name === "away") lost = name === "away";
      if (name === "broken") setBroken(data.message || "A file can't be used.");
      if (name === "mended") setBroken(null);
      if (name === "turn") known.current.asking.then(() => turned(data.turn));
      if (name === "calls" || name === "here") setRecorded((at) => at + 1);
    });
  }, [recipe, model]);
  // The stream begins with the newest turn, which is here already.
  const turned = (turn) => {
    if (turn === known.current.turn) return;
    latest.current();
    setSaid(`The prompt changed: turn ${turn}.`);
  };
  const changed = useChange(sheet, view === "turns");
  const trying = Boolean(budget);
  return { sheet, trying, problem, live, broken, said, version, recorded, refresh, say: setSaid, ...changed };
}

// What the newest save changed: by how many tokens, and which lines of which section. `unseen` are the turns that
// nobody has looked at in Turns. What was chosen on the page is none of them.
function useChange(sheet, looking) {
  const [change, setChange] = useState(null);
  const [unseen, setUnseen] = useState(0);
  const last = useRef(null);
  useEffect(() => {
    if (!sheet || inside || sheet.trying) return;
    const before = last.current;
    last.current = sheet;
    const isOther = !before || sheet.recipe !== before.recipe || sheet.price.model !== before.price.model;
    if (isOther || sheet.turn < before.turn) {
      setUnseen(0);
      setChange(null);
    } else if (sheet.turn > before.turn && sheet.fingerprint !== before.fingerprint) {
      const [a, b] = [before.turn, sheet.turn];
      setUnseen((n) => n + b - a);
      setChange({ a, b, tokens: sheet.tokens - before.tokens, count: 0, lines: {} });
      ask(`/page/diff?a=${a}&b=${b}`).then(
        (diff) => setChange((had) => (had?.b === diff.b ? { ...had, ...changesOf(diff) } : had)), () => {},
      );
    }
  }, [sheet]);
  useEffect(() => { if (looking) setUnseen(0); }, [looking, sheet]);
  return { change, unseen, hide: () => setChange(null) };
}

function changesOf({ blocks, source }) {
  const changed = blocks.filter((block) => block.change !== "same" && block.words.length);
  const lines = Object.fromEntries(changed.map((block) => [block.name, changedLines(block.words)]));
  return { lines, source, count: Object.values(lines).reduce((sum, marked) => sum + Object.keys(marked).length, 0) };
}

// Lines of the newer text by their index: `new` where words came, `gone` where words only went.
function changedLines(words) {
  const marked = {};
  let line = 0;
  for (const [what, text] of words) {
    if (what === "gone") {
      marked[line] ||= "gone";
      continue;
    }
    const parts = text.split("\n");
    parts.forEach((part, at) => {
      if (what === "new" && (part || at < parts.length - 1)) marked[line + at] = "new";
    });
    line += parts.length - 1;
  }
  return marked;
}

// Blocks that say what they said stay the same objects: what is drawn of them keeps its scroll and selection.
function keepSame(had, sheet) {
  if (!had) return sheet;
  const known = new Map(had.blocks.map((block) => [block.name, block]));
  const keep = (block) => (isSame(known.get(block.name), had, block, sheet) ? known.get(block.name) : block);
  return { ...sheet, blocks: sheet.blocks.map(keep) };
}

function isSame(old, had, block, sheet) {
  if (!old || old.tokens !== block.tokens || old.share !== block.share) return false;
  return old.pieces.length === block.pieces.length
    && old.pieces.every((piece, index) => isSamePiece(piece, had, block.pieces[index], sheet));
}

// Sources are numbers, which mean something only in their sheet.
function isSamePiece(a, had, b, sheet) {
  return a.text === b.text && a.line === b.line && a.tokens === b.tokens && a.source === b.source
    && a.mark?.was === b.mark?.was && had.sources[a.source].label === sheet.sources[b.source].label;
}
