/** Shows Markdown as elements: headings, lists, quotes, code and emphasis. A link stays the text that it is. */

import { el } from "./dom.js";
import { harmless } from "./text.js";

const FENCE = /^\s*(```+|~~~+)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^\s*>\s?(.*)$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const TABLE = /^\s*\|/;
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|\*([^*\s][^*\n]*)\*|(?<!\w)_([^_\s][^_\n]*)_(?!\w)/g;

/**
 * @param {unknown} text
 * @returns {HTMLElement}
 */
export function markdown(text) {
  const lines = harmless(text).split("\n");
  const blocks = [];
  while (lines.length) blocks.push(block(lines));
  return el("div.prose", { dir: "auto" }, ...blocks);
}

/** Takes the next block from the lines. @param {string[]} lines */
function block(lines) {
  const line = lines[0];
  if (!line.trim()) return void lines.shift();
  if (FENCE.test(line)) return fenced(lines);
  if (TABLE.test(line)) return table(taken(lines, (one) => TABLE.test(one)));
  if (RULE.test(line)) return lines.shift() && el("hr");
  const heading = line.match(HEADING);
  if (heading) return lines.shift() && el(`p.heading.level-${heading[1].length}`, ...inline(heading[2]));
  if (ITEM.test(line)) return list(lines);
  if (QUOTE.test(line)) {
    const quoted = taken(lines, (one) => QUOTE.test(one)).map((one) => one.replace(QUOTE, "$1"));
    return el("blockquote", ...inline(quoted.join("\n")));
  }
  return el("p", ...inline(taken(lines, isPlain).join("\n")));
}

/** @param {string} line */
const isPlain = (line) =>
  Boolean(line.trim()) && ![FENCE, HEADING, ITEM, QUOTE, RULE, TABLE].some((one) => one.test(line));

/** Takes the first line, and those after it that fit. @param {string[]} lines @param {(line: string) => boolean} fits */
function taken(lines, fits) {
  const end = lines.findIndex((line, place) => place > 0 && !fits(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

/** @param {string[]} lines */
function fenced(lines) {
  const mark = /** @type {RegExpMatchArray} */ (lines.shift()?.match(FENCE))[1];
  const end = lines.findIndex((line) => line.trim().startsWith(mark));
  const code = lines.splice(0, end < 0 ? lines.length : end);
  lines.shift();
  return el("pre", { tabindex: "0" }, code.join("\n"));
}

/** @param {string[]} lines */
function table(lines) {
  const cells = (line) => line.trim().replaceAll("\\|", "\0").replace(/^\||\|$/g, "").split("|");
  const rows = lines.map((line) => cells(line).map((cell) => cell.replaceAll("\0", "|").trim()));
  const isHeaded = rows[1]?.every((cell) => /^:?-+:?$/.test(cell));
  const row = (name) => (texts) => el("tr", ...texts.map((text) => el(text ? name : "td", ...inline(text))));
  const [head, body] = isHeaded ? [rows.slice(0, 1), rows.slice(2)] : [[], rows];
  const whole = el("table", el("thead", ...head.map(row("th"))), el("tbody", ...body.map(row("td"))));
  return el("div.table", { tabindex: "0", role: "group", "aria-label": "Table" }, whole);
}

/** @param {string[]} lines */
function list(lines) {
  const items = [];
  while (lines.length && ITEM.test(lines[0])) {
    const [first, ...more] = taken(lines, (one) => /^\s/.test(one) && isPlain(one));
    const [, space, mark, text] = /** @type {RegExpMatchArray} */ (first.match(ITEM));
    const depth = Math.min(3, Math.floor(space.length / 2));
    const number = /\d/.test(mark) ? el("span.number", `${mark} `) : "";
    items.push(
      el(
        `li.depth-${depth}${number ? ".numbered" : ""}`,
        number,
        ...inline([text, ...more.map((one) => one.trim())].join("\n")),
      ),
    );
  }
  return el("ul", ...items);
}

/** @param {string} text */
function inline(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, alsoStrong, emphasis, alsoEmphasis] = match;
    parts.push(text.slice(end, match.index));
    if (code) parts.push(el("code", code));
    else if (emphasis || alsoEmphasis) parts.push(el("em", emphasis || alsoEmphasis));
    else parts.push(el("strong", strong || alsoStrong));
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
