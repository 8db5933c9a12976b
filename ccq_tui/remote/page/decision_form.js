/** Shows a permission or a plan with the choices that a device may take. */

import { el, pick, prose, said } from "./dom.js";
import { details } from "./details.js";
import { markdown } from "./markdown.js";
import { does } from "./records.js";
import { oneLine } from "./text.js";

/** The main button covers the end of the page. */
const BAR = "0px 0px -72px 0px";

export class DecisionForm {
  /**
   * @param {any} request
   * @param {import("./draft.js").Draft} draft
   * @param {{changed: () => void, submit: () => void}} handlers
   */
  constructor(request, draft, handlers) {
    this.request = request;
    this.draft = draft;
    this.handlers = handlers;
    this.isPlan = request.kind === "plan";
    this.yes = request.choices.find((one) => one.allows && !one.takes_note);
    this.no = request.choices.find((one) => !one.allows && !one.takes_note);
    this.end = el("div.end");
    this.isSeen = false;
    this.element = el("div.decision", this.#what(), this.end, this.#more());
    const seen = new IntersectionObserver(([{ isIntersecting }]) => (this.isSeen ||= isIntersecting), {
      rootMargin: BAR,
    });
    seen.observe(this.end);
  }

  get chosen() {
    return this.request.choices.find((one) => one.number === this.draft.choice);
  }

  /** @returns {(() => void) | null} */
  get back() {
    return this.chosen ? () => this.#choose(0) : null;
  }

  /** @returns {import("./question_form.js").Primary} */
  get primary() {
    const { chosen, yes } = this;
    if (!chosen) return { label: yes ? shown(yes) : "Choose below", run: yes ? () => this.take(yes) : null };
    if (chosen.takes_note && !this.draft.note.trim()) return { label: "Write your message", run: null };
    return { label: shown(chosen), run: () => this.take(chosen) };
  }

  /** The choice beside the main button. */
  get secondary() {
    const { no } = this;
    return this.chosen || !no ? null : { label: shown(no), run: () => this.take(no) };
  }

  /** Whether taking the choice of the main button allows what a person did not see to its end. */
  get isUnread() {
    return !this.isSeen && Boolean((this.chosen ?? this.yes)?.allows);
  }

  showEnd() {
    this.end.scrollIntoView({ block: "center" });
  }

  /** @param {any} choice */
  take(choice) {
    this.draft.choice = choice.number;
    this.handlers.submit();
  }

  /** The answer in the public JSON. */
  get answer() {
    const note = this.chosen?.takes_note ? { note: this.draft.note } : {};
    return { choice: this.draft.choice, ...note };
  }

  #what() {
    const { request } = this;
    if (this.isPlan) return el("section", el("h2.unseen", "Plan"), markdown(request.plan));
    const about = [request.description, request.reason].filter((text) => text && text !== request.input?.description);
    const purpose = request.input?.description;
    return el(
      "section",
      el("h2.ask", said(`${does(request)}?`)),
      purpose && el("p", said(purpose)),
      ...about.map((text) => el("p.hint", said(text))),
      details({ ...request, input: request.input ?? {} }),
    );
  }

  #more() {
    const others = this.request.choices.filter((one) => one !== this.yes && one !== this.no);
    if (!others.length) return "";
    const rows = others.map(({ number, label, holds }) => {
      const checked = number === this.draft.choice;
      const row = { type: "radio", name: "choice", value: number, checked, onchange: () => this.#choose(number) };
      return el("div.option", pick(row, said(label), holds && said(holds)));
    });
    const type = (text) => {
      this.draft.note = text;
      this.handlers.changed();
    };
    this.note = prose("note", this.draft.note, type, el("label", { for: "note" }, "Your message to the agent"));
    this.note.hidden = !this.chosen?.takes_note;
    return el("fieldset.question.more", el("legend", "Other choices"), ...rows, this.note);
  }

  /** @param {number} number */
  #choose(number) {
    this.draft.choice = number;
    for (const input of this.element.querySelectorAll("input[name=choice]"))
      input.checked = Number(input.value) === number;
    this.note.hidden = !this.chosen?.takes_note;
    if (!this.note.hidden) this.note.querySelector("textarea").focus();
    this.handlers.changed();
  }
}

/** What taking a choice does. @param {any} choice */
function shown({ label, takes_note, allows }) {
  const words = oneLine(label, 80).replace(/…$/, "");
  if (!takes_note) return words;
  const [plan, permission] = allows ? ["Approve", "Allow"] : ["Keep planning", "Deny"];
  return `${words.startsWith(plan) ? plan : permission} with this message`;
}
