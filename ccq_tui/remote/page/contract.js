/** Questions of the simple contract (`POST /question`), which plain pairings may have, in the shape of requests. */

const WEEK = 7 * 86_400_000;

/** @param {any} question */
export function asRecord({ id, prompt, header, options, multiSelect, timestamp }) {
  const rows = options.map((one, place) => ({ ...one, number: place + 1 }));
  const asked = { number: 1, text: prompt, header, multi_select: multiSelect, options: rows };
  const request = { kind: "question", questions: [asked], reply: false, isSimple: true };
  const expires = new Date(Date.parse(timestamp) + WEEK).toISOString();
  const body = { session: { name: header, parked: false }, request };
  return { id, timestamp, expires, status: "pending", body, answer: null, statement: null, shape: "question" };
}

/**
 * The entries without questions that only stand for a request that is among them too.
 * @param {import("./records.js").Entry[]} entries
 */
export function withoutTwins(entries) {
  const whole = new Set(
    entries.filter((entry) => entry.record.shape !== "question").map((entry) => entry.body?.request.asked_at),
  );
  return entries.filter((entry) => entry.record.shape !== "question" || !whole.has(entry.record.timestamp));
}

/** An answer in the terms of the contract. @param {any} answer */
export function asAnswer({ answers: [{ selected = [], other = "", note = "" }] }) {
  return { selectedIndices: selected.map((number) => number - 1), skipped: false, other, note };
}
