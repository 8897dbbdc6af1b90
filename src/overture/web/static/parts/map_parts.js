// What a request is made of, by size: sections with their files and skills, the tools by name, the conversation by kind.
import { canTry, href } from "overture/address.js";
import { grouped } from "overture/parts/map_groups.js";
import { headingParts } from "overture/parts/map_headings.js";
import { say } from "overture/say.js";
import { PACES, percent, tokens, tokensOf } from "overture/words.js";

const LARGE = 0.2;
const OWN = { recipe: say("theRecipesOwnWords"), rule: say("rules"), state: say("values"), hook: say("hooks") };
const MESSAGES = {
  prompt: say("theUsersWords"), sections: say("sectionsOfTheRecipe"), reply: say("replies"), call: say("toolCalls"), result: say("toolResults"),
  skill: say("skillsLoaded"), summary: say("summaries"), branch: say("summariesOfOtherBranches"), shell: say("commandsOfTheUser"),
  custom: say("messagesOfPrograms"), hook: say("messagesOfHooks"), update: say("changesOfThePromptTold"),
};

export function partsOf(sheet) {
  const { context } = sheet;
  const groups = [
    ...sheet.blocks.map((block) => section(sheet, block)),
    group("tools", say("Tools"), "tools", context.tools.map((tool) => ({ id: tool.name, name: tool.name, what: "tool", tokens: tool.tokens, href: canTry ? href("play") : null }))),
    group("conversation", say("Messages"), "conversation", [...context.nested.map(nested), ...context.messages.flatMap(message)]),
  ];
  return groups.filter((each) => each.tokens > 0).sort(larger);
}

const larger = (a, b) => b.tokens - a.tokens;

function section(sheet, block) {
  const found = new Map();
  for (const piece of block.pieces) {
    const part = partOf(sheet.sources[piece.source]);
    const had = found.get(part.id) || { ...part, tokens: 0, text: "", href: href("prompt", block.name) };
    found.set(part.id, { ...had, tokens: had.tokens + tokensOf(piece), text: had.text + piece.text });
  }
  const parts = [...found.values()].filter((part) => part.tokens > 0).sort(larger).map((part) => ({ ...part, parts: part.what === "file" ? headingParts(part) : [] }));
  return { id: `section-${block.name}`, name: block.name, look: `pace-${block.pace}`, often: PACES[block.pace], tokens: block.tokens, href: href("prompt", block.name), parts: grouped(parts, "skill") };
}

function partOf(source) {
  if (source.kind !== "file") return { id: source.kind, name: OWN[source.kind], full: OWN[source.kind], what: source.kind === "recipe" ? "own" : "" };
  const full = source.label.replace(/:\d+$/, "");
  const skill = /([^/]+)\/SKILL\.md$/.exec(full);
  if (skill) return { id: source.path, name: skill[1], full, what: "skill" };
  return { id: source.path, name: full, full, what: "file" };
}

function group(id, name, look, parts) {
  const sum = parts.reduce((total, part) => total + part.tokens, 0);
  return { id, name, look, tokens: sum, href: null, parts: grouped(parts.filter((part) => part.tokens > 0).sort(larger), "tool") };
}

const nested = (share) => ({ id: `nested-${share.name}`, name: share.name, what: "file", tokens: share.tokens, href: null });

// What has a name of its own stands alone: sections that go into the user's message, skills that were loaded.
function message(share) {
  const name = MESSAGES[share.name] || share.name;
  const own = share.parts.map((part) => ({
    id: `${share.name}-${part.name}`, name: part.name, what: name, tokens: part.tokens,
    href: share.name === "sections" ? href("prompt", part.name) : null,
  }));
  const rest = share.tokens - own.reduce((total, part) => total + part.tokens, 0);
  return [...own, { id: share.name, name, what: share.count > 1 ? `${share.count} ×` : "", tokens: rest, href: null }];
}

// In one line, for those who point at a box or hear it.
export function inWords(sheet, each, inside) {
  const name = [each.what !== "heading" && inside?.name, each.full || each.name].filter(Boolean).join(" › "); // that of a heading begins with its file
  const n = each.tokens;
  const size = sheet.exact ? say("nTokens", { n }) : say("aboutNTokens", { n });
  return `${name}: ${size}, ${percent(each.tokens / (sheet.context.tokens || 1))}`;
}

// What is gone into: `1.0` is the first part of the second group.
export function zoomedInto(groups, place) {
  const found = [];
  let among = groups;
  for (const at of place ? place.split(".") : []) {
    const next = among?.[Number(at)];
    if (!next) return [];
    found.push(next);
    among = next.parts;
  }
  return found;
}

// One that is a large share of the picture is drawn by its own parts.
export function split(parts, all) {
  return parts.flatMap((part, at) => (part.parts?.length > 1 && part.tokens > all * LARGE ? part.parts.map((each, below) => ({ ...each, at: `${at}.${below}`, inside: part.name })) : [{ ...part, at: `${at}` }]));
}

export const count = (sheet, each) => tokens(each.tokens, sheet);
