// More boxes than anybody can read are put together: skills by their folder, tools by the alphabet, headings in their order.
import { say } from "overture/say.js";

const MANY = 64; // boxes that can be read in the whole picture
const GROUPS = 24; // and in a part of it
const KINDS = { skill: (n) => say("nSkills", { n }), tool: (n) => say("nTools", { n }), heading: (n) => say("nHeadings", { n }) };

const folderOf = ({ full }) => (full || "").replace(/[^/]+\/SKILL\.md$/, "");
const byName = (a, b) => (a.name < b.name ? -1 : 1);
const larger = (a, b) => b.tokens - a.tokens;

export function grouped(parts, kind) {
  const [many, rest] = [true, false].map((is) => parts.filter((part) => (part.what === kind) === is));
  if (many.length <= MANY) return parts;
  const folders = new Map();
  for (const part of many) folders.set(folderOf(part), [...(folders.get(folderOf(part)) || []), part]);
  const ranged = [...folders].map(([folder, all]) => ({ folder, parts: ranges(all.sort(byName), kind, folder) }));
  const groups = ranged.length === 1 ? ranged[0].parts : ranged.map((each) => together(each.folder, each.folder, each.parts, kind));
  return [...rest, ...groups].sort(larger);
}

// Lists of about the same length, each from one name to another; they may hold lists again.
export function ranges(all, kind, folder) {
  if (all.length <= MANY) return all.sort(larger);
  const length = Math.ceil(all.length / Math.min(Math.ceil(all.length / MANY), GROUPS));
  const starts = all.map((_, at) => at).filter((at) => at % length === 0);
  return starts.map((at) => {
    const some = all.slice(at, at + length);
    return together(`${folder}${at}`, `${some[0].name} – ${some.at(-1).name}`, ranges(some, kind, folder), kind);
  }).sort(larger);
}

function together(id, name, parts, kind) {
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const count = parts.reduce((sum, part) => sum + (part.count || 1), 0);
  return { id: `${kind}-${id}`, name, full: `${name}, ${KINDS[kind](count)}`, what: KINDS[kind](count), count, tokens, href: parts[0].href, parts };
}
