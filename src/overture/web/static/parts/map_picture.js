// The picture: each box is as large as its tokens. The browser lays it out anew whenever it has another size.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { count, inWords, split } from "overture/parts/map_parts.js";
import { say } from "overture/say.js";

const HEAD = 24; // the line with a section's name
const tall = (node) => node.y1 - node.y0 >= HEAD + 20 && node.x1 - node.x0 >= 40;

// `at` is where one has zoomed to.
export function MapPicture({ sheet, groups, at = "" }) {
  const box = useRef(null);
  const [size, setSize] = useState(null);
  useLayoutEffect(() => {
    const measure = () => setSize((had) => sameSize(had, box.current) ? had : { width: box.current.clientWidth, height: box.current.clientHeight });
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return html`
    <div class="map-picture" ref=${box} role="group" aria-label=${say("SectionsFilesSkillsToolsSize")}>
      ${size && size.width > 0 && html`<ul>${laidOut(drawn(groups, at), size).map((node) => html`<${Group} key=${node.data.id} node=${node} sheet=${sheet} />`)}</ul>`}
    </div>`;
}

const sameSize = (had, element) => had && had.width === element.clientWidth && had.height === element.clientHeight;

// The groups with what is drawn inside of each, and where a click goes: into what has parts, else to the text.
function drawn(groups, at) {
  const all = groups.reduce((sum, each) => sum + each.tokens, 0);
  return groups.map((group, index) => {
    const here = at || String(index);
    const parts = split(group.parts, all).map((part) => ({ ...part, href: part.parts?.length > 1 ? href("map", `${here}.${part.at}`) : part.href, parts: null }));
    return { ...group, href: !at && parts.length > 1 ? href("map", here) : group.href, parts };
  });
}

function laidOut(groups, { width, height }) {
  const root = hierarchy({ parts: groups }, (each) => (each.parts?.length > 1 || each.parts === groups ? each.parts : null)).sum((each) => (each.parts?.length > 1 ? 0 : each.tokens || 0));
  const lay = treemap().tile(treemapSquarify.ratio(1.3)).size([width, height]).round(true)
    .paddingInner((node) => (node.depth ? 2 : 4))
    .paddingTop((node) => (node.depth && tall(node) ? HEAD : node.depth && 2))
    .paddingRight((node) => node.depth && 2).paddingBottom((node) => node.depth && 2).paddingLeft((node) => node.depth && 2);
  return lay(root).children || [];
}

function Group({ node, sheet }) {
  const { data } = node;
  const words = inWords(sheet, data);
  return html`
    <li class="map-group ${data.look} ${tall(node) ? "named" : "bare"} ${node.children ? "" : "whole"}" ref=${placed(node)}>
      <${Box} to=${data.href} kind="map-name" words=${words}>
        ${tall(node) && html`<span class="tag ${data.look}"></span><b class="foreign">${data.name}</b>`}${tall(node) && node.x1 - node.x0 >= 104 && html`<span class="number">${count(sheet, data)}</span>`}
      <//>
      ${node.children && html`<ul>${node.children.map((leaf) => html`<${Leaf} key=${leaf.data.id} leaf=${leaf} node=${node} sheet=${sheet} />`)}</ul>`}
    </li>`;
}

function Leaf({ leaf, node, sheet }) {
  const width = leaf.x1 - leaf.x0, height = leaf.y1 - leaf.y0;
  const { data } = leaf;
  return html`
    <li class="map-leaf ${data.what === "own" ? "own" : ""}" ref=${placed(leaf, node)}>
      <${Box} to=${data.href} kind="map-box" words=${inWords(sheet, data, node.data)}>
        ${width >= 56 && height >= 20 && html`<span class="foreign name" ref=${clamped(height)}>${data.name.split("/").map((part, at) => html`${at > 0 && html`/<wbr />`}${part}`)}</span>`}
        ${width >= 56 && height >= 38 && html`<span class="quiet">${count(sheet, data)}</span>`}
      <//>
    </li>`;
}

// What can be gone to is a link; the conversation is in no section, and its boxes only say their size.
function Box({ to, kind, words, children }) {
  if (!to) return html`<span class=${kind} title=${words}><span class="aside-word">${words}</span><span class="shown" aria-hidden="true">${children}</span></span>`;
  return html`<a class=${kind} href=${to} title=${words} data-step><span class="aside-word">${words}</span><span class="shown" aria-hidden="true">${children}</span></a>`;
}

// As many lines as there is room for above the number.
function clamped(height) {
  return (element) => { if (element) element.style.webkitLineClamp = String(Math.max(Math.floor((height - 20) / 16), 1)); };
}

// Places are set by script: the page allows no styles in its markup.
function placed(node, inside) {
  return (element) => {
    if (!element) return;
    const left = node.x0 - (inside ? inside.x0 : 0), top = node.y0 - (inside ? inside.y0 : 0);
    Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${node.x1 - node.x0}px`, height: `${node.y1 - node.y0}px` });
  };
}
