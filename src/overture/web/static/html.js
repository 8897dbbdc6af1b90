// Markup in JavaScript without a build: htm makes elements of preact. Texts are text nodes, whatever they hold.
import { h } from "preact";
import htm from "htm";

// What changes the direction of the text after it, and control characters other than tab and newline: a file's name
// that holds one would be shown as another name.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const SPOKEN = ["title", "aria-label", "alt"];

const escaped = (sign) => `\\u{${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}}`;

export function visible(value) {
  if (Array.isArray(value)) return value.map(visible);
  return typeof value === "string" ? value.replace(UNSEEN, escaped) : value;
}

function element(type, props, ...children) {
  if (typeof type !== "string") return h(type, props, ...children);
  for (const name of SPOKEN) if (props?.[name]) props = { ...props, [name]: visible(props[name]) };
  return h(type, props, ...children.map(visible));
}

export const html = htm.bind(element);
