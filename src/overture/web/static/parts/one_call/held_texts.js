// Texts of a page that is a file: calls share them, and name them by their numbers.
import { inside } from "overture/server.js";

const WAYS = 8; // a part of a body is its text's number times this, and the way in which it is written

const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
const plain = (text) => text;
const string = (text) => JSON.stringify(text).slice(1, -1);
const WRITTEN = [plain, plain, string, (text) => string(text).replace(/[^ -~]/g, escaped), (text) => string(text).replace(/[<>&\u2028\u2029]/g, escaped)];

export function bodyOf(request) {
  if (!request.parts) return request.body;
  const texts = inside["/page/texts"];
  return request.parts.map((part) => WRITTEN[part % WAYS](texts[Math.floor(part / WAYS)])).join("");
}

export const textOf = (row) => ("at" in row ? inside["/page/texts"][row.at] : row.text);
