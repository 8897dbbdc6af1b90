// A text of the page with its slots filled: `say("nCalls", { n })`. The texts are in strings.js.
import { STRINGS } from "overture/strings.js";

export const locale = "en";
const whole = new Intl.NumberFormat(locale);

// Of two forms the first is for one; `n` decides.
export function say(name, slots = {}) {
  return tell(name, slots).join("");
}

// The same with elements in its slots, as a list.
export function tell(name, slots = {}) {
  const [one, many = one] = STRINGS[name].split("|");
  return (slots.n === 1 ? one : many).split(/(\{\w+\})/).map((part) => (/^\{\w+\}$/.test(part) && part.slice(1, -1) in slots ? shown(slots[part.slice(1, -1)]) : part));
}

const shown = (value) => (typeof value === "number" ? whole.format(value) : value);
