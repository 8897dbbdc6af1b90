// Runs: stretches of one source on one line. They are found by their elements, which know their place in the sheet.
export function runAt(element) {
  const run = element.closest?.(".run");
  if (!run) return null;
  const { block, piece, line, messages } = run.dataset;
  const section = run.closest("section");
  return { block: Number(block), piece: Number(piece), line: line ? Number(line) : null, name: section.dataset.name, messages: messages === "1" };
}

export function pieceOf(sheet, at) {
  const block = (at.messages ? sheet.messages : sheet.blocks)[at.block];
  const piece = block?.pieces[at.piece];
  return piece ? { block, piece, source: sheet.sources[piece.source] } : null;
}

export function showBlock(name) {
  const found = document.getElementById(`block-${name}`) || document.getElementById(`message-${name}`);
  if (!found) return;
  const head = found.querySelector("header");
  head.classList.remove("settles");
  found.scrollIntoView({ block: "start" });
  // What lies above is laid out only now that it came near, and has its true height.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    found.scrollIntoView({ block: "start" });
    head.classList.add("settles");
  }));
}

// To the next line of the text, or within a line to the next source; from a section's head to its first line.
export function stepRun(from, by, within) {
  const run = from.closest(".run");
  if (!run) return focusRun(from.closest("section")?.querySelector(".run"));
  const all = [...document.querySelectorAll(within ? ".prompt-text .run" : ".prompt-text .text-row")];
  const next = all[all.indexOf(within ? run : run.closest(".text-row")) + by];
  return focusRun(within ? next : next?.querySelector(".run"));
}

function focusRun(run) {
  run?.focus();
  run?.scrollIntoView({ block: "nearest" });
}

// The text of a block as lines of runs. A line break belongs to the run that it ends.
export function linesOf(block) {
  const lines = [[]];
  block.pieces.forEach((piece, index) => {
    let line = piece.line;
    const parts = piece.text.split("\n");
    parts.forEach((text, part) => {
      const last = part === parts.length - 1;
      if (text || !last || (piece.mark && !piece.text)) lines.at(-1).push({ text: last ? text : `${text}\n`, piece: index, line, mark: piece.mark });
      if (!last) {
        lines.push([]);
        if (line !== null && line !== undefined) line += 1;
      }
    });
  });
  return lines.at(-1).length ? lines : lines.slice(0, -1);
}
