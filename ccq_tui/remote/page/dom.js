/** Makes elements of the page; text is always set as text. */

import { harmless } from "./text.js";

/** @typedef {Node | string | null | undefined | false} Child */

const ICONS = {
  back: "M15 5l-7 7 7 7",
  check: "M5 12.5l4.5 4.5L19 7.5",
  close: "M6 6l12 12M18 6L6 18",
  devices: "M7 3h10a1.5 1.5 0 011.5 1.5v15A1.5 1.5 0 0117 21H7a1.5 1.5 0 01-1.5-1.5v-15A1.5 1.5 0 017 3zM10.5 18h3",
  edit: "M4 20l1-4L16.5 4.5l3 3L8 19l-4 1z",
};

/**
 * @param {string} tag With classes, as in "p.hint".
 * @param {...(Child | Record<string, any>)} children The first may be attributes: `on…` for a listener; false leaves one out.
 * @returns {any}
 */
export function el(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...kept(children));
  return element;
}

/** An element of the page's own file. @param {string} id */
export const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Replaces the content of an element. @param {Element} element @param {...Child} children */
export const fill = (element, ...children) => element.replaceChildren(...kept(children));

/** A text of a model, a file or another device. @param {unknown} text @param {string} [name] */
export const said = (text, name = "") => el("bdi", { class: name || false, dir: "auto" }, harmless(text));

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * @param {Child} label
 * @param {(event: Event) => void} press
 * @param {string} kind Its classes.
 * @param {Record<string, any>} [attributes]
 */
export const button = (label, press, kind, attributes = {}) =>
  el("button", { type: "button", class: kind, onclick: press, ...attributes }, label);

/** A line to choose. @param {Record<string, any>} attributes Of the input. @param {Child | Child[]} label @param {Child} [about] */
export function pick(attributes, label, about) {
  const words = el("span.words", el("span.label", ...[label].flat()), about && el("span.description", about));
  return el("label.pick", el("input", attributes), words);
}

/** A labelled field for prose. @param {string} id @param {string} text @param {(text: string) => void} typed @param {...Child} label */
export function prose(id, text, typed, ...label) {
  const field = el("textarea", { rows: 3, id, dir: "auto", oninput: () => typed(field.value) });
  field.value = text;
  return el("div.field", ...label, field);
}

/** @param {Child[]} children */
const kept = (children) => /** @type {(Node | string)[]} */ (children.filter((one) => one || one === ""));
