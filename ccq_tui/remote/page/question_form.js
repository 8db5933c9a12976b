/** Shows the questions of a request, one a page, or all at once for the form of a server; then a review. */

import { button, el, fill, icon, pick, prose, said } from "./dom.js";
import { allowed, areAsked, hasOptions, inWords, isGiven, labelOf, ownText, problem } from "./draft.js";
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
    const changed = () => (this.#showSteps(), handlers.changed());
    this.handlers = { ...handlers, changed };
    this.isForm = request.kind === "elicitation";
    /** Whether an optional question may be skipped for good. */
    this.isOurs = request.kind === "form";
    this.questions = request.questions;
    this.pages = this.isForm ? 1 : this.questions.length;
    this.element = el("div.questions");
    this.show();
  }

  /** The places of the questions that are asked, given the answers so far. */
  get #places() {
    const asked = areAsked(this.questions, this.draft.parts);
    return [...asked.keys()].filter((place) => asked[place]);
  }

  get isReviewing() {
    return this.draft.page >= this.pages;
  }

  get #needsReview() {
    return this.questions.length > 1 || this.questions[0].multi_select || (this.isOurs && !this.questions[0].required);
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
    const before = (this.isForm ? [0] : this.#places).filter((place) => place < this.draft.page).at(-1);
    return before === undefined ? null : () => this.go(before);
  }

  /** @returns {Primary} */
  get primary() {
    const { draft, questions } = this;
    const places = this.#places;
    const isWrong = places.some((place) => problem(questions[place], draft.parts[place]));
    if (this.isReviewing) return this.#submission(places, isWrong);
    if (this.isForm && this.#needsReview) return { label: "Review", run: isWrong ? null : () => this.go(1) };
    const [question, part] = [questions[draft.page], draft.parts[draft.page]];
    if (problem(question, part)) return { label: "Check the number", run: null };
    if (!this.#needsReview) return this.#sending(question, part);
    if (this.isOurs && question.required && !isGiven(question, part)) return { label: "An answer is needed", run: null };
    const others = places.some((place) => place !== draft.page && !isGiven(questions[place], draft.parts[place]));
    const next = places.find((place) => place > draft.page);
    if (next === undefined || !others) return { label: "Review", run: () => this.go(this.pages) };
    const skip = this.isOurs ? "Skip" : "Skip for now";
    return { label: isGiven(question, part) ? "Next" : skip, run: () => this.go(next) };
  }

  /** @param {any} question @param {import("./draft.js").Part} part @returns {Primary} */
  #sending(question, part) {
    if (!isGiven(question, part))
      return { label: hasOptions(question) ? "Choose an answer" : "Type an answer", run: null };
    return { label: `Send ${oneLine(inWords(question, part), 60)}`, run: this.handlers.submit };
  }

  /** @param {number[]} places @param {boolean} isWrong @returns {Primary} */
  #submission(places, isWrong) {
    const open = places.filter((place) => !isGiven(this.questions[place], this.draft.parts[place]));
    const missing = open.map((place) => this.questions[place]).find((question) => question.required);
    const [all, given] = [places.length, places.length - open.length];
    if (isWrong) return { label: "Check the number", run: null };
    if (missing) return { label: `${oneLine(missing.header || missing.text, 30)} is required`, run: null };
    if (this.isOurs) return { label: "Submit the form", run: this.handlers.submit };
    if (!given) return { label: "No answer yet", run: null };
    const label =
      given < all ? `Submit ${given} of ${all} answers` : all > 1 ? `Submit ${all} answers` : "Submit answer";
    return { label, run: this.handlers.submit };
  }

  /** Shows the steps anew: the answers decide which questions are asked. */
  #showSteps() {
    this.element.querySelector(".steps")?.replaceWith(this.#steps());
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
    const steps = this.#places.map((place) => step(this.questions[place], place));
    return el("ol.steps", { "aria-label": "Questions" }, ...steps);
  }

  /** @param {number} place */
  #question(place) {
    const [question, part] = [this.questions[place], this.draft.parts[place]];
    const isGroup = hasOptions(question);
    const notes = [
      question.multi_select && isGroup && "Choose any number",
      question.required && "Required",
      question.allowed ?? (question.kind === "number" && allowed(question)),
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
    const isLine = question.kind === "number" || question.one_line || this.request.takes_prose === false;
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
    const text = question.default;
    const use = () => {
      part.other = text;
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
    if (this.isForm || this.isOurs || this.request.takes_prose === false) return "";
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
    const rows = this.#places.map((place) => {
      const question = this.questions[place];
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
          words ? said(words, "given") : el("span.gap", this.isOurs && !question.required ? "Skipped" : "No answer"),
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
    if (this.isOurs || !question.multi_select || part.selected.length || ownText(question, part)) return "";
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
  #format(question) {
    return { email: "email", uri: "url" }[this.#schema(question)?.format];
  }
}
