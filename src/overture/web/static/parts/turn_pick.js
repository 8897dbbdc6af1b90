// Which two turns are compared. The address says it (`2..5`); without one, the newest and the one before it.
export function picked(place, turns) {
  const found = /^(\d{1,9})\.\.(\d{1,9})$/.exec(place || "");
  if (found) {
    const [a, b] = [Number(found[1]), Number(found[2])];
    return { a: Math.min(a, b), b: Math.max(a, b) };
  }
  return turns.length > 1 ? { a: turns.at(-2).turn, b: turns.at(-1).turn } : null;
}

// The earlier one always stands before the later one: whichever is moved past the other takes it along.
export function pickEarlier(turns, { b }, turn) {
  return { a: turn, b: turn < b ? b : turns.find((each) => each.turn > turn).turn };
}

export function pickLater(turns, { a }, turn) {
  return { a: turn > a ? a : turns.findLast((each) => each.turn < turn).turn, b: turn };
}

export const pair = ({ a, b }) => `${a}..${b}`;
