/** Texts for people, and what makes a model's text harmless to show. */

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;
const MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * Shows characters that hide or reorder others as signs: an ESC as ␛, an override as ‹U+202E›.
 * @param {unknown} text
 */
export function harmless(text) {
  const plain = String(text ?? "").replaceAll("\r\n", "\n");
  return plain.replace(HIDDEN, sign).replace(MANY_MARKS, "$1");
}

/** @param {string} character */
function sign(character) {
  const code = /** @type {number} */ (character.codePointAt(0));
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}

/**
 * @param {unknown} text
 * @param {number} most
 */
export function oneLine(text, most = 200) {
  const line = harmless(String(text ?? "").slice(0, most * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line;
}

/** @param {string} time */
export function age(time) {
  const minutes = Math.floor((Date.now() - Date.parse(time)) / 60_000);
  if (!(minutes >= 1)) return "now";
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}

/** The end of a path, which tells projects apart. @param {string} path */
export function shortPath(path) {
  const parts = oneLine(path, 400)
    .replace(/^\/(home|Users)\/[^/]+/, "~")
    .replace(/\/$/, "")
    .split("/");
  return parts.length > 3 ? `…/${parts.slice(-2).join("/")}` : parts.join("/");
}

/**
 * The end of a text, from the beginning of a paragraph if one fits.
 * @param {string} text
 * @param {number} most
 */
export function lastPart(text, most) {
  const end = text.trim().slice(-most);
  if (end.length === text.trim().length) return end;
  const paragraph = end.search(/\n\s*\n/);
  if (paragraph >= 0 && end.slice(paragraph).trim()) return end.slice(paragraph).trim();
  return `… ${end.slice(end.search(/\s/) + 1)}`;
}
