// Markup in JavaScript without a build: htm makes elements of preact. Texts are text nodes, whatever they hold.
import { h } from "preact";
import htm from "htm";

export const html = htm.bind(h);
