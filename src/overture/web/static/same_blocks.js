// Blocks that say what they said stay the same objects: what is drawn of them stays as it is, with scroll and selection.
export function keepSame(had, sheet) {
  if (!had) return sheet;
  const known = new Map(had.blocks.map((block) => [block.name, block]));
  const blocks = sheet.blocks.map((block) => (isSame(known.get(block.name), had, block, sheet) ? known.get(block.name) : block));
  return { ...sheet, blocks };
}

function isSame(old, had, block, sheet) {
  if (!old || old.tokens !== block.tokens || old.share !== block.share || old.pieces.length !== block.pieces.length) return false;
  return old.pieces.every((piece, index) => isSamePiece(piece, had, block.pieces[index], sheet));
}

// Sources are numbers, which mean something only in their sheet.
function isSamePiece(a, had, b, sheet) {
  return a.text === b.text && a.line === b.line && a.tokens === b.tokens && a.source === b.source
    && a.mark?.was === b.mark?.was && had.sources[a.source].label === sheet.sources[b.source].label;
}
