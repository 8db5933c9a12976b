/** Shows what a request asks: its questions, one a page or all at once, then a review; or a decision and its choices. */

import { details } from "./details.js";
import { button, el, fill, icon, pick, prose, said } from "./dom.js";
import { areAsked, hasOptions, inWords, isGiven, ownText, problem } from "./draft.js";
import { markdown } from "./markdown.js";
import { does } from "./records.js";
import { harmless, oneLine } from "./text.js";

/** @typedef {{label: string, run: (() => void) | null}} Primary What the main button does, or null for nothing yet. */

/** The main button covers the end of the page. */
const BAR = "0px 0px -72px 0px";

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
    /** Whether all questions are on one page. */
    this.isForm = request.kind === "elicitation";
    this.questions = request.questions;
    this.pages = this.isForm ? 1 : this.questions.length;
    this.choices = request.choices ?? [];
    this.yes = this.choices.find((one) => one.allows && !one.takes_note);
    this.no = this.choices.find((one) => !one.allows && !one.takes_note);
    this.isSeen = !request.choices;
    this.element = el("div.questions");
    this.show();
  }

  /** The places of the questions that are asked, given the answers so far. */
  get #places() {
    const asked = areAsked(this.questions, this.draft.parts);
    return [...asked.keys()].filter((place) => asked[place]);
  }

  /** The choice that was picked among those of a decision. */
  get #chosen() {
    return this.choices.find((one) => one.number === this.draft.parts[0].selected[0]);
  }

  /** Draws the page of the draft. */
  show() {
    const { page } = this.draft;
    if (this.request.choices) fill(this.element, this.#decision(this.draft.parts[0]));
    else if (page >= this.pages) fill(this.element, this.#review());
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

  /** @param {import("./draft.js").Part} part @param {Partial<import("./draft.js").Part>} changes */
  #edit(part, changes) {
    Object.assign(part, { isProposed: false, ...changes });
    // The answers decide which questions are asked.
    this.element.querySelector(".steps")?.replaceWith(this.#steps());
    this.handlers.changed();
  }

  /** The button beside the main one. @returns {Primary | null} */
  get secondary() {
    const { no } = this;
    if (this.request.choices && !this.#chosen) return no ? { label: no.label, run: () => this.#take(no) } : null;
    const before = (this.isForm ? [0] : this.#places).filter((place) => place < this.draft.page).at(-1);
    const undo = () => (this.#edit(this.draft.parts[0], { selected: [], isOther: false }), this.show());
    if (this.request.choices) return { label: "Back", run: undo };
    return before === undefined ? null : { label: "Back", run: () => this.go(before) };
  }

  /** @returns {Primary} */
  get primary() {
    const { draft, questions } = this;
    if (this.request.choices) return this.#decisive;
    const places = this.#places;
    const isWrong = places.some((place) => problem(questions[place], draft.parts[place]));
    if (draft.page >= this.pages) return this.#submission(places, isWrong);
    if (this.isForm && this.request.review) return { label: "Review", run: isWrong ? null : () => this.go(1) };
    const [question, part] = [questions[draft.page], draft.parts[draft.page]];
    if (problem(question, part)) return { label: "Check the answer", run: null };
    if (!this.request.review) return this.#sending(question, part);
    if (question.required && !isGiven(question, part)) return { label: "An answer is needed", run: null };
    const isGap = (place) => draft.parts[place].isProposed || !isGiven(questions[place], draft.parts[place]);
    const next = places.find((place) => place > draft.page);
    const go = (place) => () => ((part.isProposed = false), this.go(place));
    if (next === undefined || !places.some((place) => place !== draft.page && isGap(place)))
      return { label: "Review", run: go(this.pages) };
    const skip = question.skip ? "Skip" : "Skip for now";
    return { label: isGiven(question, part) ? "Next" : skip, run: go(next) };
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
    if (isWrong) return { label: "Check the answers", run: null };
    if (missing) return { label: `${oneLine(missing.header || missing.text, 30)} is required`, run: null };
    if (this.request.dismiss) return { label: "Submit the form", run: this.handlers.submit };
    if (!given) return { label: "No answer yet", run: null };
    const label =
      given < all ? `Submit ${given} of ${all} answers` : all > 1 ? `Submit ${all} answers` : "Submit answer";
    return { label, run: this.handlers.submit };
  }

  #steps() {
    const step = (question, place) => {
      const name = oneLine(question.header, 24) || `Question ${place + 1}`;
      const part = this.draft.parts[place];
      const isDone = isGiven(question, part) && !part.isProposed && !problem(question, part);
      const current = place === this.draft.page ? "step" : undefined;
      const label = el("span", isDone && icon("check"), said(name), isDone && el("span.unseen", ", answered"));
      return el(
        "li",
        button(label, () => this.go(place), "step", { "aria-current": current }),
      );
    };
    const steps = this.#places.map((place) => step(this.questions[place], place));
    const list = el("ol.steps", { "aria-label": "Questions" }, ...steps);
    requestAnimationFrame(() => {
      const current = list.querySelector("[aria-current]");
      if (current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
    });
    return list;
  }

  /** @param {number} place */
  #question(place) {
    const [question, part] = [this.questions[place], this.draft.parts[place]];
    const isGroup = hasOptions(question);
    const notes = [
      question.multi_select && isGroup && "Choose any number",
      question.required && "Required",
      question.allowed,
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
    return el(
      isGroup ? "fieldset.question" : "section.question",
      { "aria-describedby": `about-${place}` },
      legend,
      about,
      ...(isGroup ? this.#options(place, question, part) : [this.#field(place, question, part, true)]),
      this.request.notes && this.#note(place, part),
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
    const open = ({ target: { checked } }) => {
      const selected = checked && !question.multi_select ? [] : part.selected;
      this.#edit(part, { isOther: checked, selected, isNone: part.isNone && !checked });
      field.hidden = !checked;
      if (checked) field.querySelector("textarea, input").focus();
    };
    field.hidden = !part.isOther;
    return [...rows, el("div.option", pick({ ...row, checked: part.isOther, onchange: open }, "Other…")), field];
  }

  /** @param {Record<string, any>} input @param {any} option */
  #row(input, { label, shown = label, recommended, description, preview }) {
    const star = recommended && el("span.star", el("span", { "aria-hidden": "true" }, "★"), el("span.unseen", "recommended"));
    const more =
      preview &&
      el(
        "details.preview",
        el("summary", "Preview", el("span.unseen", said(` of ${oneLine(label, 60)}`))),
        el("pre", { tabindex: "0", dir: "auto" }, harmless(preview)),
      );
    return el("div.option", pick(input, [said(shown), star], description && said(description)), more);
  }

  /** @param {any} question @param {import("./draft.js").Part} part @param {number} number @param {boolean} isOn */
  #pick(question, part, number, isOn) {
    const others = question.multi_select ? part.selected.filter((one) => one !== number) : [];
    const isOther = question.multi_select && part.isOther;
    this.#edit(part, { selected: isOn ? [...others, number] : others, isNone: false, isOther });
    for (const field of this.element.querySelectorAll(".field.own")) field.hidden = !isOther;
  }

  /** @param {number} place @param {any} question @param {import("./draft.js").Part} part @param {boolean} isAlone */
  #field(place, question, part, isAlone) {
    const isNumber = question.kind === "number";
    const wrong = el("p.wrong", { id: `wrong-${place}`, role: "alert" });
    const check = () => fill(wrong, problem(question, part));
    const type = (event) => {
      this.#edit(part, { other: event.target.value });
      if (wrong.textContent) check();
    };
    const given = {
      ...(isAlone ? { "aria-labelledby": `ask-${place}` } : { "aria-label": "Your own answer" }),
      ...(isNumber ? { inputmode: "decimal", autocomplete: "off" } : { inputmode: INPUTS[question.format] }),
      "aria-describedby": `wrong-${place}`,
      oninput: type,
      onblur: check,
      dir: "auto",
    };
    const field =
      isNumber || question.one_line
        ? el("input", { type: "text", ...given })
        : el("textarea", { rows: isAlone ? 3 : 2, ...given });
    field.value = part.other;
    const unit = isNumber && question.unit && said(oneLine(question.unit, 30), "unit");
    return el(isAlone ? "div.field" : "div.field.own", { id: `field-${place}` }, el("div.line", field, unit), wrong);
  }

  /** @param {number} place @param {import("./draft.js").Part} part */
  #note(place, part) {
    const label = el("label", { for: `note-${place}` }, "Note to the agent");
    const note = prose(`note-${place}`, part.note, (text) => this.#edit(part, { ...part, note: text }), label);
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
      const [question, part] = [this.questions[place], this.draft.parts[place]];
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
          words ? said(words, "given") : el("span.gap", question.skip ? "Skipped" : "No answer"),
          part.isProposed && el("span.noted", "Proposed"),
          part.note.trim() && said(`Note: ${part.note}`, "noted"),
          isLoose && said(`Typed, but not selected: ${part.other}`, "noted"),
          question.none && !part.selected.length && !ownText(question, part) && this.#none(part),
        ),
        edit,
      );
    });
    return el("section", el("h2.ask", "Review"), el("ol.answers", ...rows));
  }

  /** @param {import("./draft.js").Part} part */
  #none(part) {
    const onchange = (event) => {
      part.isNone = event.target.checked;
      this.go(this.draft.page);
    };
    return el("div.none", pick({ type: "checkbox", checked: part.isNone, onchange }, "None of these, on purpose"));
  }

  // -- a decision -------------------------------------------------------------------------------------------

  /** @param {import("./draft.js").Part} part Its choice, and the words with it. */
  #decision(part) {
    const end = el("div.end");
    const seen = new IntersectionObserver(([{ isIntersecting }]) => (this.isSeen ||= isIntersecting), {
      rootMargin: BAR,
    });
    seen.observe(end);
    const label = el("label", { for: "note" }, "Your message to the agent");
    const note = prose("note", part.other, (other) => this.#edit(part, { other }), label);
    note.hidden = !part.isOther;
    const others = this.choices.filter((one) => one !== this.yes && one !== this.no);
    const rows = others.map((one) => {
      const onchange = () => {
        this.#edit(part, { selected: [one.number], isOther: one.takes_note });
        note.hidden = !one.takes_note;
        if (one.takes_note) note.querySelector("textarea").focus();
      };
      const row = { type: "radio", name: "choice", checked: one === this.#chosen, onchange };
      return this.#row(row, { ...one, description: one.holds });
    });
    const more = others.length > 0 && el("fieldset.question.more", el("legend", "Other choices"), ...rows, note);
    return el("div.decision", subject(this.request), end, more);
  }

  /** What the main button decides. @returns {Primary} */
  get #decisive() {
    const one = this.#chosen ?? this.yes;
    if (!one) return { label: "Choose below", run: null };
    if (one.takes_note && !this.draft.parts[0].other.trim()) return { label: "Write your message", run: null };
    const words = one.takes_note && one.does ? one.does[0].toUpperCase() + one.does.slice(1) : one.label;
    return { label: oneLine(words, 80), run: () => this.#take(one) };
  }

  /** @param {any} choice */
  #take(choice) {
    this.#edit(this.draft.parts[0], { selected: [choice.number], isOther: choice.takes_note });
    this.handlers.submit();
  }

  /** Whether the main button allows what a person did not see to its end. */
  get isUnread() {
    return !this.isSeen && Boolean((this.#chosen ?? this.yes)?.allows);
  }

  showEnd() {
    this.element.querySelector(".end")?.scrollIntoView({ block: "center" });
  }
}

const INPUTS = { email: "email", uri: "url" };

/** What a decision is about. @param {any} request */
function subject(request) {
  if (request.kind === "plan") return el("section", el("h2.unseen", "Plan"), markdown(request.plan));
  const { description, reason, input = {} } = request;
  const about = [description, reason].filter((text) => text && text !== input.description);
  return el(
    "section",
    el("h2.ask", said(`${does(request)}?`)),
    input.description && el("p", said(input.description)),
    ...about.map((text) => el("p.hint", said(text))),
    details({ ...request, input }),
  );
}
