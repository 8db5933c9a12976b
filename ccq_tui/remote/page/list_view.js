/** The list: what waits, oldest first, and below it, quietly, what was answered or has ended. */

import { button, el, fill, icon, said } from "./dom.js";
import { askedAt, directoryOf, headline, kindWords, sessionName, standing } from "./records.js";
import { age, oneLine, shortPath } from "./text.js";

/** @typedef {import("./records.js").Entry} Entry */

export class ListView {
  /** @param {{open: (key: string) => void, dismiss: (key: string) => void, hasDraft: (key: string) => boolean}} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.waiting = el("ul.cards", { "aria-label": "Waiting requests" });
    this.quiet = el("section.recent", { "aria-labelledby": "recent" });
    this.clear = el(
      "div.clear",
      el("span.sign", icon("check")),
      el("p", el("strong", "Nothing waits")),
      el("p.hint", "Questions of your sessions appear here."),
    );
    this.element = el("div.list", { onkeydown: (event) => this.#key(event) }, this.clear, this.waiting, this.quiet);
  }

  /** @param {Entry[]} waiting @param {Entry[]} quiet @param {string} current The key of the open request. @param {boolean} isKnown Whether that is all. */
  show(waiting, quiet, current, isKnown) {
    const focused = /** @type {any} */ (document.activeElement)?.dataset?.key;
    this.clear.hidden = waiting.length > 0 || !isKnown;
    this.waiting.hidden = !waiting.length;
    this.quiet.hidden = !quiet.length;
    change(
      this.waiting,
      waiting.map((entry) => el("li", this.#card(entry, current))),
    );
    change(this.quiet, [
      el("h2", { id: "recent" }, "Recent"),
      el("ul", ...quiet.map((entry) => el("li", ...this.#quiet(entry, current)))),
    ]);
    if (focused && !document.activeElement?.matches("[data-key]"))
      this.element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  /** @param {Entry} entry @param {string} current */
  #card(entry, current) {
    const { key, body } = entry;
    const places = [shortPath(directoryOf(entry)), oneLine(body.machine, 40)].filter(Boolean);
    return button(
      el(
        "span.inside",
        el("span.top", said(sessionName(entry), "name"), el("span.age", age(askedAt(entry)))),
        said(headline(entry), "headline"),
        el("span.places", el("span.chip", said(kindWords(entry))), said(places.join(" · "), "where")),
        standing(entry).isParked && el("span.badge", "Paused"),
        this.handlers.hasDraft(key) && el("span.badge.draft", "Draft"),
      ),
      () => this.handlers.open(key),
      "card",
      { "data-key": key, "aria-current": current === key && "true" },
    );
  }

  /** @param {Entry} entry @param {string} current */
  #quiet(entry, current) {
    const { title, detail, phase } = standing(entry);
    const name = entry.body ? sessionName(entry) : "A request";
    const words = el(
      "span.inside",
      el("span.became", said(title)),
      said([name, entry.body && headline(entry)].filter(Boolean).join(" · "), "where"),
      detail && el("span.hint", said(detail)),
    );
    const open = button(words, () => this.handlers.open(entry.key), "row", {
      "data-key": entry.key,
      "aria-current": current === entry.key && "true",
    });
    const dismiss =
      phase !== "sent" &&
      button(icon("close"), () => this.handlers.dismiss(entry.key), "round", {
        "aria-label": `Remove ${name} from the list`,
      });
    return [open, dismiss || ""];
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...this.element.querySelectorAll("[data-key]")];
    const place = all.indexOf(/** @type {any} */ (document.activeElement));
    event.preventDefault();
    all[(place + step + all.length) % all.length]?.focus();
  }
}

/** Replaces what an element holds if it looks different, so that a reader keeps its place. @param {Element} element @param {Element[]} children */
function change(element, children) {
  const same =
    children.length === element.childElementCount &&
    children.every((child, place) => child.outerHTML === element.children[place].outerHTML);
  if (!same) fill(element, ...children);
}
