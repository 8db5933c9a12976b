/** Shows the questions of a request, one a page, or all at once for a form; then a review. */

import { button, el, fill, icon, pick, prose, said } from "./dom.js";
import { allowed, hasOptions, inWords, isGiven, labelOf, ownText, problem } from "./draft.js";
import { markdown } from "./markdown.js";
import { harmless, oneLine } from "./text.js";

/** @typedef {{label: string, run: (() => void) | null}} Primary What the main button does, or null for nothing yet. */

export class QuestionForm {
  /**
   * @param {any} request
   * @param {import("./draft.js").Draft} draft
   * @param {{changed: () => void, submit: () => void, turned: () => void}} handlers
   */
  constructor(request, draft, handlers) {
    this.request = request;
    this.draft = draft;
    this.handlers = handlers;
    this.isForm = request.kind === "elicitation";
    this.questions = request.questions;
    this.pages = this.isForm ? 1 : this.questions.length;
    this.element = el("div.questions");
    this.show();
  }

  get isReviewing() {
    return this.draft.page >= this.pages;
  }

  get #needsReview() {
    return this.questions.length > 1 || this.questions[0].multi_select;
  }

  /** Draws the page of the draft. */
  show() {
    const { page } = this.draft;
    if (this.isReviewing) fill(this.element, this.#review());
    else if (this.isForm) fill(this.element, ...this.questions.map((_, place) => this.#question(place)));
    else fill(this.element, this.pages > 1 && this.#steps(), this.#question(page));
  }

  /** @param {number} page */
  go(page) {
    this.draft.page = page;
    this.show();
    this.handlers.changed();
    this.handlers.turned();
    const heading = this.element.querySelector("legend, h2");
    heading?.setAttribute("tabindex", "-1");
    heading?.focus({ preventScroll: true });
    this.element.scrollIntoView({ block: "start" });
  }

  /** @returns {(() => void) | null} */
  get back() {
    return this.draft.page > 0 ? () => this.go(this.draft.page - 1) : null;
  }

  /** @returns {Primary} */
  get primary() {
    const { draft, questions } = this;
    const wrong = questions.findIndex((question, place) => problem(question, draft.parts[place]));
    if (this.isReviewing) return this.#submission(wrong);
    if (this.isForm && this.#needsReview) return { label: "Review", run: wrong < 0 ? () => this.go(1) : null };
    const [question, part] = [questions[draft.page], draft.parts[draft.page]];
    if (problem(question, part)) return { label: "Check the number", run: null };
    if (!this.#needsReview) return this.#sending(question, part);
    const others = questions.some((one, place) => place !== draft.page && !isGiven(one, draft.parts[place]));
    if (draft.page === this.pages - 1 || !others) return { label: "Review", run: () => this.go(this.pages) };
    return { label: isGiven(question, part) ? "Next" : "Skip for now", run: () => this.go(draft.page + 1) };
  }

  /** @param {any} question @param {import("./draft.js").Part} part @returns {Primary} */
  #sending(question, part) {
    if (!isGiven(question, part))
      return { label: hasOptions(question) ? "Choose an answer" : "Type an answer", run: null };
    return { label: `Send ${oneLine(inWords(question, part), 60)}`, run: this.handlers.submit };
  }

  /** @param {number} wrong @returns {Primary} */
  #submission(wrong) {
    const given = this.questions.filter((question, place) => isGiven(question, this.draft.parts[place])).length;
    const missing = this.questions.findIndex(
      (question, place) => this.#isRequired(question) && !isGiven(question, this.draft.parts[place]),
    );
    if (wrong >= 0) return { label: "Check the number", run: null };
    if (missing >= 0) return { label: `${oneLine(this.questions[missing].header, 30)} is required`, run: null };
    if (!given) return { label: "No answer yet", run: null };
    const all = this.questions.length;
    const label =
      given < all ? `Submit ${given} of ${all} answers` : all > 1 ? `Submit ${all} answers` : "Submit answer";
    return { label, run: this.handlers.submit };
  }

  #steps() {
    const step = (question, place) => {
      const name = oneLine(question.header, 24) || `Question ${place + 1}`;
      const isDone = isGiven(question, this.draft.parts[place]);
      const current = place === this.draft.page ? "step" : undefined;
      const label = el("span", isDone && icon("check"), said(name), isDone && el("span.unseen", ", answered"));
      return el(
        "li",
        button(label, () => this.go(place), "step", { "aria-current": current }),
      );
    };
    return el("ol.steps", { "aria-label": "Questions" }, ...this.questions.map(step));
  }

  /** @param {number} place */
  #question(place) {
    const [question, part] = [this.questions[place], this.draft.parts[place]];
    const isGroup = hasOptions(question);
    const notes = [
      question.multi_select && isGroup && "Choose any number",
      this.#isRequired(question) && this.isForm && "Required",
      question.kind === "number" && allowed(question),
    ].filter(Boolean);
    const legend = el(
      isGroup ? "legend.ask" : "h2.ask",
      { id: `ask-${place}` },
      said(question.text || question.header),
    );
    const about = el(
      "div.about",
      { id: `about-${place}` },
      question.description && markdown(question.description),
      notes.length > 0 && el("p.hint", said(notes.join(" · "))),
    );
    const field = isGroup
      ? this.#options(place, question, part)
      : [this.#field(place, question, part, true), this.#suggested(place, question, part)];
    return el(
      isGroup ? "fieldset.question" : "section.question",
      { "aria-describedby": `about-${place}` },
      legend,
      about,
      ...field,
      this.#note(place, part),
    );
  }

  /** @param {number} place @param {any} question @param {import("./draft.js").Part} part */
  #options(place, question, part) {
    const row = { type: question.multi_select ? "checkbox" : "radio", name: `options-${place}` };
    const rows = question.options.map((option) => {
      const onchange = (event) => this.#pick(question, part, option.number, event.target.checked);
      return this.#row({ ...row, checked: part.selected.includes(option.number), onchange }, option);
    });
    if (question.closed) return rows;
    const field = this.#field(place, question, part, false);
    const open = (event) => {
      part.isOther = event.target.checked;
      if (part.isOther && !question.multi_select) part.selected = [];
      if (part.isOther) part.isNone = false;
      field.hidden = !part.isOther;
      if (part.isOther) field.querySelector("textarea, input").focus();
      this.handlers.changed();
    };
    field.hidden = !part.isOther;
    return [...rows, el("div.option", pick({ ...row, checked: part.isOther, onchange: open }, "Other…")), field];
  }

  /** @param {Record<string, any>} input @param {any} option */
  #row(input, option) {
    const star = option.recommended && el("span.star", el("span", { "aria-hidden": "true" }, "★ "), "recommended");
    const label = pick(input, [said(labelOf(option)), star], option.description && said(option.description));
    const preview =
      option.preview &&
      el(
        "details.preview",
        el("summary", "Preview", el("span.unseen", said(` of ${oneLine(option.label, 60)}`))),
        el("pre", { tabindex: "0", dir: "auto" }, harmless(option.preview)),
      );
    return el("div.option", label, preview);
  }

  /** @param {any} question @param {import("./draft.js").Part} part @param {number} number @param {boolean} isOn */
  #pick(question, part, number, isOn) {
    const others = question.multi_select ? part.selected.filter((one) => one !== number) : [];
    part.selected = isOn ? [...others, number] : others;
    part.isNone = false;
    if (!question.multi_select) {
      part.isOther = false;
      for (const field of this.element.querySelectorAll(`.field.own`)) field.hidden = true;
    }
    this.handlers.changed();
  }

  /** @param {number} place @param {any} question @param {import("./draft.js").Part} part @param {boolean} isAlone */
  #field(place, question, part, isAlone) {
    const isLine = question.kind === "number" || this.request.takes_prose === false;
    const wrong = el("p.wrong", { id: `wrong-${place}`, role: "alert" });
    const check = () => (wrong.textContent = problem(question, part));
    const type = (event) => {
      part.other = event.target.value;
      if (wrong.textContent) check();
      this.handlers.changed();
    };
    const labelled = isAlone ? { "aria-labelledby": `ask-${place}` } : { "aria-label": "Your own answer" };
    const mode =
      question.kind === "number"
        ? { inputmode: "decimal", autocomplete: "off" }
        : { inputmode: this.#format(question) };
    const given = {
      ...labelled,
      ...mode,
      "aria-describedby": `wrong-${place}`,
      oninput: type,
      onblur: check,
      dir: "auto",
    };
    const field = isLine
      ? el("input", { type: "text", ...given })
      : el("textarea", { rows: isAlone ? 3 : 2, ...given });
    field.value = part.other;
    const unit = question.kind === "number" && question.unit && said(oneLine(question.unit, 30), "unit");
    return el(isAlone ? "div.field" : "div.field.own", { id: `field-${place}` }, el("div.line", field, unit), wrong);
  }

  /** A proposal, which a person takes with a tap. @param {number} place @param {any} question @param {import("./draft.js").Part} part */
  #suggested(place, question, part) {
    const text = question.default || this.#schema(question)?.default;
    if (typeof text !== "string" && typeof text !== "number") return "";
    const use = () => {
      part.other = String(text);
      this.show();
      this.handlers.changed();
      this.element.querySelector(`#field-${place} :is(input, textarea)`)?.focus();
    };
    return text === ""
      ? ""
      : button(el("span", "Use the suggestion ", said(oneLine(text, 60), "strong")), use, "quiet");
  }

  /** @param {number} place @param {import("./draft.js").Part} part */
  #note(place, part) {
    if (this.isForm || this.request.takes_prose === false) return "";
    const type = (text) => {
      part.note = text;
      this.handlers.changed();
    };
    const note = prose(`note-${place}`, part.note, type, el("label", { for: `note-${place}` }, "Note to the agent"));
    note.hidden = !part.note;
    const open = button(
      "Add a note",
      () => {
        [note.hidden, open.hidden] = [false, true];
        note.querySelector("textarea").focus();
      },
      "quiet",
      { hidden: Boolean(part.note) },
    );
    return el("div", open, note);
  }

  #review() {
    const rows = this.questions.map((question, place) => {
      const part = this.draft.parts[place];
      const words = inWords(question, part);
      const isLoose = Boolean(part.other.trim()) && !ownText(question, part);
      const edit = button(icon("edit"), () => this.go(this.isForm ? 0 : place), "round", {
        "aria-label": `Change the answer to ${oneLine(question.header || question.text, 60)}`,
      });
      return el(
        "li.answer",
        el(
          "div",
          said(oneLine(question.text || question.header, 300), "asked"),
          words ? said(words, "given") : el("span.gap", "No answer"),
          part.note.trim() && said(`Note: ${part.note}`, "noted"),
          isLoose && said(`Typed, but not selected: ${part.other}`, "noted"),
          this.#none(question, part),
        ),
        edit,
      );
    });
    return el("section", el("h2.ask", "Review"), el("ol.answers", ...rows));
  }

  /** @param {any} question @param {import("./draft.js").Part} part */
  #none(question, part) {
    if (!question.multi_select || part.selected.length || ownText(question, part)) return "";
    const onchange = (event) => {
      part.isNone = event.target.checked;
      event.target.closest(".answer").querySelector(".gap, .given").textContent =
        inWords(question, part) || "No answer";
      this.handlers.changed();
    };
    return el("div.none", pick({ type: "checkbox", checked: part.isNone, onchange }, "None of these, on purpose"));
  }

  /** The field's own schema in a form. @param {any} question */
  #schema(question) {
    const known = Object.entries(this.request.requested_schema?.properties ?? {});
    return known.find(([name, one]) => (one?.title || name) === question.header)?.[1];
  }

  /** @param {any} question */
  #isRequired(question) {
    const { properties = {}, required = [] } = this.request.requested_schema ?? {};
    return required.some((name) => (properties[name]?.title || name) === question.header);
  }

  /** @param {any} question */
  #format(question) {
    return { email: "email", uri: "url" }[this.#schema(question)?.format];
  }
}
