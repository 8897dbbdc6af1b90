// A long file by its headings: each with the tokens of its text, and those below it inside.
import { ranges } from "overture/parts/map_groups.js";

const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t]*#*$/;
const FENCE = /^\s*(```|~~~)/;

// Tokens are shared out by characters: a browser counts none.
export function headingParts({ id, full, text, tokens, href }) {
  const rest = { name: full, chars: 0, below: [] };
  const open = [{ level: 0, node: rest }];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) fenced = !fenced;
    const found = !fenced && HEADING.exec(line);
    if (found) {
      while (open.at(-1).level >= found[1].length) open.pop();
      const node = { name: found[2], chars: 0, below: [] };
      open.at(-1).node.below.push(node);
      open.push({ level: found[1].length, node });
    }
    open.at(-1).node.chars += line.length + 1;
  }
  return sized(alone(rest), id, full, tokens / (text.length + 1), href);
}

// A title above everything else is no division.
function alone(node) {
  while (node.below.length === 1 && node.below[0].below.length > 1) {
    const [only] = node.below;
    node = { ...only, chars: only.chars + node.chars };
  }
  return node;
}

function sized(node, id, full, share, href) {
  if (node.below.length < 2) return [];
  const own = node.chars > 1 ? [{ id: `${id}#`, name: node.name, full, what: "heading", tokens: Math.round(node.chars * share), href, parts: [] }] : [];
  const all = [...own, ...node.below.map((each, at) => ({
    id: `${id}#${at}`, name: each.name, full: `${full} › ${each.name}`, what: "heading", tokens: Math.round(whole(each) * share), href,
    parts: sized(each, `${id}#${at}`, `${full} › ${each.name}`, share, href),
  }))];
  return ranges(all.filter((part) => part.tokens > 0), "heading", id);
}

const whole = (node) => node.chars + node.below.reduce((sum, each) => sum + whole(each), 0);
