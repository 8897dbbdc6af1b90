// Where in a JSON text a value stands: `.steps[1].title` -> its line.
import { say } from "overture/say.js";

const STRING = /"(?:[^"\\\n]|\\.)*"/y;
const PLAIN = /(?:true|false|null|-?\d[\d.eE+-]*)(?![\w.])/y;

export function syntaxFault(text) {
  try {
    JSON.parse(text);
    return null;
  } catch {
    return { line: lineAt(text, faultAt(text)), message: say("noJsonYet") };
  }
}

// Browsers do not agree on whether to tell the place. The shortest beginning that can't go on to be JSON ends there.
function faultAt(text) {
  const reader = new Reader(text);
  try {
    strict(reader);
    reader.peek();
  } catch {
    // Where it stands is the place.
  }
  return reader.at;
}

function strict(reader) {
  const open = reader.peek();
  const end = { "{": "}", "[": "]" }[open];
  if (!end) return literal(reader, open === '"' ? STRING : PLAIN);
  reader.at += 1;
  for (let first = true; reader.peek() !== end; first = false) {
    if (!first) literal(reader, /,/y);
    if (end === "}") { literal(reader, STRING); literal(reader, /:/y); }
    strict(reader);
  }
  reader.at += 1;
  return null;
}

function literal(reader, shape) {
  reader.blank();
  shape.lastIndex = reader.at;
  const [found] = shape.exec(reader.text); // what is not there stops it
  reader.at += found.length;
}

export function placeOf(text, path) {
  const wanted = path.match(/[^.[\]]+/g) || [];
  return lineAt(text, find(new Reader(text), wanted));
}

function lineAt(text, at) {
  return text.slice(0, at).split("\n").length;
}

// Goes through a text that is known to be JSON.
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  blank() {
    while (/\s/.test(this.text[this.at] || "")) this.at += 1;
  }

  peek() {
    this.blank();
    return this.text[this.at];
  }

  word() {
    const found = /"(?:[^"\\]|\\.)*"|[^\s,\]}:]+/y;
    found.lastIndex = (this.blank(), this.at);
    const [word] = found.exec(this.text);
    this.at += word.length;
    return word;
  }

  skip() {
    if (!"[{".includes(this.peek())) return this.word();
    const end = this.peek() === "[" ? "]" : "}";
    this.at += 1;
    while (this.peek() !== end) {
      if (this.peek() === "," || this.peek() === ":") this.at += 1;
      else this.skip();
    }
    this.at += 1;
    return null;
  }
}

// The place of a value; of one that is not there, of what should hold it.
function find(reader, [name, ...rest]) {
  const open = reader.peek();
  const start = reader.at;
  if (name === undefined || (open !== "{" && open !== "[")) return start;
  reader.at += 1;
  for (let index = 0; reader.peek() !== "]" && reader.peek() !== "}"; index += 1) {
    const key = open === "{" ? JSON.parse(reader.word()) : String(index);
    if (open === "{") { reader.peek(); reader.at += 1; }
    if (key === name) return find(reader, rest);
    reader.skip();
    if (reader.peek() === ",") reader.at += 1;
  }
  return start;
}
