/** Shows what a tool call would do: its change of a file, its command, or its input. */

import { el, said } from "./dom.js";
import { harmless } from "./text.js";

const MOST_VALUE = 200_000;

/** @param {any} request @returns {HTMLElement} */
export function details({ tool, input, change }) {
  const path = input.file_path ?? input.notebook_path;
  const rest = Object.entries(input).filter(
    ([name]) => !["command", "description", "file_path", "notebook_path"].includes(name),
  );
  const parts = [
    path && el("p.path", said(path)),
    input.command && el("pre.command", { tabindex: "0", dir: "auto" }, harmless(input.command)),
    change?.trouble && el("p.wrong", "The change is not known: the file ", said(change.trouble)),
  ];
  if (change?.structuredPatch?.length) parts.push(counts(change), diff(change.structuredPatch));
  else if (tool === "Write" && typeof input.content === "string")
    parts.push(el("p.hint", "A new file"), diff([added(input.content)], "Content"));
  else parts.push(...rest.map(field));
  return el("div.details", ...parts);
}

/** @param {any} change */
const counts = ({ added: plus, removed: minus }) =>
  el("p.hint", el("span.plus", `+${Number(plus) || 0}`), " ", el("span.minus", `−${Number(minus) || 0}`), " lines");

/** A new file as a hunk. @param {string} content */
const added = (content) => ({ oldStart: 0, newStart: 1, lines: content.split("\n").map((text) => `+${text}`) });

/** @param {any[]} hunks @param {string} [name] */
function diff(hunks, name = "Change") {
  const rows = hunks.flatMap(({ oldStart, newStart, lines }, place) => {
    let [old, now] = [oldStart, newStart];
    const numbered = lines.map((text) => {
      const sign = text[0];
      const number = sign === "-" ? old : now;
      if (sign !== "+") old += 1;
      if (sign !== "-") now += 1;
      return line(sign, number, text.slice(1));
    });
    return place ? [el("div.between", { "aria-hidden": "true" }, "…"), ...numbered] : numbered;
  });
  return el("div.diff", { tabindex: "0", role: "group", "aria-label": name }, el("div", ...rows));
}

/** @param {string} sign @param {number} number @param {string} text */
function line(sign, number, text) {
  const kind = { "+": ".plus", "-": ".minus" }[sign] ?? "";
  return el(
    `div.line${kind}`,
    el("span.number", { "aria-hidden": "true" }, String(Number(number) || "")),
    el("span.mark", sign === "-" ? "−" : sign),
    el("code", { dir: "auto" }, harmless(text) || " "),
  );
}

/** @param {[string, unknown]} field */
function field([name, value]) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return el(
    "div.value",
    said(name, "name"),
    el("pre", { tabindex: "0", dir: "auto" }, harmless(String(text).slice(0, MOST_VALUE))),
  );
}
