/** One request: who asks, the text before, what is asked, and a bar with the button that answers. */

import { button, el, fill, icon, prose, said } from "./dom.js";
import { answersOf, asAsked, fits, inLines, newDraft, typed } from "./draft.js";
import { markdown } from "./markdown.js";
import { QuestionForm } from "./question_form.js";
import { askedAt, askerOf, directoryOf, headline, kindWords, sessionName, standing } from "./records.js";
import { RelayError } from "./relay.js";
import { draftOf, keepDraft } from "./storage.js";
import { age, harmless, lastPart, oneLine, shortPath } from "./text.js";

const REST = "Show the rest";

/**
 * @typedef {object} Handlers
 * @property {(answer: object) => Promise<void>} answer Sends an answer; the promise fails with its reason.
 * @property {(() => Promise<void>) | null} leave Leaves the request to the computer, where that is possible.
 * @property {() => void} close
 * @property {() => {label: string, run: () => void} | null} next What to do after this request.
 * @property {() => import("./app.js").Link} link How well its relay is heard.
 */

export class RequestView {
  /** @param {import("./records.js").Entry} entry @param {Handlers} handlers */
  constructor(entry, handlers) {
    this.handlers = handlers;
    this.entry = entry;
    this.request = asAsked(entry.body?.request ?? {});
    const kept = entry.draft ?? draftOf(entry.key);
    /** @type {import("./draft.js").Draft} */
    this.draft = fits(kept, this.request) ? { ...newDraft(this.request), ...kept } : newDraft(this.request);
    this.title = el("h1", { id: "session", tabindex: "-1" });
    this.places = el("p.places");
    this.badge = el("p.badge", "Paused · your answer resumes the session");
    this.connection = el("p.connection");
    const back = button(icon("back"), handlers.close, "round back", { "aria-label": "Back to the list" });
    this.head = el("header.head", back, el("div.names", this.title, this.places, this.connection), this.badge);
    this.state = el("div.state");
    this.content = el("div.content");
    this.main = el("button", { type: "submit", class: "primary" });
    this.beside = button("", () => this.#secondary?.run(), "secondary");
    this.words = el("p", { role: "alert" });
    this.again = button("", () => this.handlers.link().act(), "quiet");
    this.notice = el("div.trouble", this.words, this.again);
    this.bar = el("footer.bar");
    const submit = (event) => (event.preventDefault(), this.#press());
    const handled = { novalidate: true, onsubmit: submit, onkeydown: (event) => this.#key(event) };
    this.body = el("form", handled, this.state, this.content, this.bar);
    this.element = el("article.request", { "aria-labelledby": "session" }, this.head, this.body);
    this.phase = "";
    this.trouble = "";
    this.isSending = false;
    this.update(entry);
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }

  /** Shows what time and other requests change. */
  refresh() {
    this.#showHead(standing(this.entry));
    this.#showBar();
  }

  /** Shows what became of the request. @param {import("./records.js").Entry} entry */
  update(entry) {
    this.entry = entry;
    const now = standing(entry);
    const hadFocus = this.element.contains(document.activeElement);
    this.#showHead(now);
    this.#showState(now);
    if (this.phase !== now.phase) {
      this.phase = now.phase;
      this.#guard(this.body);
      this.prompt = null;
      this.#showContent();
      if (hadFocus) this.focus();
    }
    this.#showBar();
  }

  /**
   * Ignores taps and keys for a moment: they were meant for what was there before.
   * @param {HTMLElement} place It takes the taps itself, so that nothing under it does.
   */
  #guard(place, then = () => {}) {
    const parts = [...place.children];
    const set = (isOff) => parts.forEach((part) => (part.inert = isOff));
    set(true);
    setTimeout(() => (set(false), then()), 500);
  }

  /** @param {import("./records.js").Standing} now */
  #showHead({ isParked, phase }) {
    const { body } = this.entry;
    const directory = directoryOf(this.entry);
    const places = [shortPath(directory), oneLine(body?.machine, 40), age(askedAt(this.entry))].filter(Boolean);
    this.badge.hidden = !isParked || phase !== "open";
    this.places.title = harmless(directory);
    const name = body ? sessionName(this.entry) : "A request";
    if (this.title.textContent !== name) fill(this.title, said(name));
    if (this.places.textContent !== places.join(" · "))
      fill(this.places, ...places.flatMap((one, place) => [place > 0 && " · ", said(one)]));
  }

  /** @param {import("./records.js").Standing} now */
  #showState({ phase, title, detail }) {
    const became =
      phase !== "open" &&
      el(
        `div.became.${phase}`,
        phase !== "unreadable" && el("span.sign", icon("check")),
        el("div", el("strong", said(title)), detail && el("p", said(detail))),
      );
    if (this.state.textContent !== title + detail) fill(this.state, became);
  }

  #showContent() {
    this.form = null;
    this.element.dataset.phase = this.phase;
    if (this.phase === "unreadable") return fill(this.content);
    if (this.phase !== "open") return fill(this.content, this.#asked(), this.#unsent());
    const form = this.draft.isDiscussing ? this.#prose() : this.#asking();
    fill(this.content, this.#context(), el("p.kind", said(kindWords(this.entry))), this.#intro(), form, this.#ways());
  }

  #context() {
    const text = String(this.entry.body.context ?? "").trim();
    if (!text) return "";
    const part = lastPart(text, innerWidth < 300 ? 120 : 300);
    const holder = el("section.context", { "aria-label": "Text before the request" }, markdown(part));
    if (part !== text) holder.prepend(button("Show what came before", () => fill(holder, markdown(text)), "quiet"));
    if (this.entry.body.cut) holder.append(el("p.hint", "Long texts are shortened here. The terminal has them whole."));
    return holder;
  }

  #intro() {
    const { kind, message, title, intro, about = {}, questions = [] } = this.request;
    const facts = Object.entries(about).map(([name, value]) => `${name}: ${value}`);
    const words = kind === "elicitation" ? message : [title, intro, ...facts].filter(Boolean).join("\n\n");
    if (!words || (words === questions[0]?.text && this.request.mode !== "url")) return "";
    return el("div.intro", markdown(words));
  }

  #asking() {
    const { request, draft } = this;
    const turned = () => this.#guard(this.bar);
    const handlers = { changed: () => this.#changed(), submit: () => this.#submit(), turned };
    if (request.problem) return el("p.trouble", said(request.problem));
    if (request.mode === "url") return link(request);
    if (request.questions?.length) this.form = new QuestionForm(request, draft, handlers);
    const unknown = "This page cannot show this request. Answer it on the computer.";
    return this.form?.element ?? el("p.trouble", unknown);
  }

  #prose() {
    const type = (text) => {
      this.draft.prose = text;
      this.#changed();
    };
    return prose(
      "prose",
      this.draft.prose,
      type,
      el("label.ask", { for: "prose" }, "Reply in your own words"),
      el("p.hint", "It answers the whole request in place of a choice."),
    );
  }

  /** Other ways to end the request than its main button. */
  #ways() {
    const { kind, choices, reply, dismiss, declines } = this.request;
    const way = (label, question, yes, then) => button(label, () => this.#ask(question, yes, then), "way");
    const leave = () => this.#sending(/** @type {any} */ (this.handlers).leave());
    const ways = [
      reply && !this.draft.isDiscussing && button("Discuss", () => this.#discuss(true), "way"),
      this.handlers.leave && way("Answer on the computer", "Leave it to the computer? Then no device can answer it.", "Leave it", leave),
      // Only the server of an elicitation gets another answer for it than for a decline.
      dismiss && kind === "elicitation" && way("Dismiss", "Dismiss it, without a yes or a no?", "Dismiss", { dismiss: true }),
      !choices && declines !== false && way("Decline", "Decline it? Nothing is chosen.", "Decline", { decline: true }),
    ];
    return el("div.ways", { role: "group", "aria-label": "Other ways" }, ...ways);
  }

  #asked() {
    const { given, statement } = this.entry;
    const sent = given?.isMine && given.answer ? inLines(this.request, given.answer) : [];
    // Until then, it stands beside the end.
    const lines = statement?.taken && !sent.length ? [oneLine(statement.text, 300)].filter(Boolean) : sent;
    return el("section.asked", el("p", said(headline(this.entry))), ...lines.map((line) => el("p.given", said(line))));
  }

  /** What was typed here when the request ended elsewhere. */
  #unsent() {
    const texts = this.entry.given?.isMine ? [] : typed(this.draft);
    const shown = texts.map((text) => el("pre", { tabindex: "0", dir: "auto" }, text));
    return shown.length > 0 && el("section.unsent", el("h2", "You had typed"), ...shown);
  }

  #changed() {
    keepDraft(this.entry.key, this.draft);
    this.#showBar();
  }

  /** @param {boolean} isOn */
  #discuss(isOn) {
    this.draft.isDiscussing = isOn;
    this.#changed();
    this.#showContent();
    this.#showBar();
    (isOn ? this.content.querySelector("#prose") : this.title).focus();
  }

  /** @returns {import("./question_form.js").Primary | null} */
  get #primary() {
    if (this.phase !== "open") return this.handlers.next();
    if (this.draft.isDiscussing)
      return this.draft.prose.trim()
        ? { label: "Send reply", run: () => this.#send({ discuss: this.draft.prose }) }
        : { label: "Write your reply", run: null };
    if (this.form) return this.form.primary;
    const { mode, problem, questions } = this.request;
    if (mode !== "url" || problem) return null;
    return {
      label: "Accept",
      run: () => this.#send({ answers: [{ selected: [questions[0].options.at(-1).number] }] }),
    };
  }

  /** @returns {{label: string, run: () => void} | null} */
  get #secondary() {
    if (this.phase !== "open") return null;
    if (this.draft.isDiscussing) return { label: "Back", run: () => this.#discuss(false) };
    return this.form?.secondary ?? null;
  }

  #showBar() {
    if (this.prompt) return;
    const [primary, secondary] = [this.#primary, this.#secondary];
    this.main.disabled = this.isSending || !primary?.run;
    label(this.main, this.isSending ? "Sending…" : (primary?.label ?? ""));
    label(this.beside, secondary?.label ?? "");
    this.beside.hidden = !secondary;
    this.main.hidden = !primary;
    this.bar.hidden = !primary;
    if (this.main.parentNode !== this.bar) fill(this.bar, this.notice, this.beside, this.main);
    this.#showNotice();
  }

  /** Says beside the button what became of the answer, or that none can be sent. */
  #showNotice() {
    const link = this.handlers.link();
    const { refused } = standing(this.entry);
    const words = this.trouble || link.warning || (refused && `Not taken by ${askerOf(this.entry.body)}: ${refused}`);
    this.notice.hidden = this.phase !== "open" || !words;
    label(this.words, words);
    this.again.hidden = !link.warning;
    label(this.again, link.label);
    this.connection.dataset.state = link.state;
    label(this.connection, link.isKnown ? "" : link.words);
  }

  /** Asks once more in the bar. @param {string} question @param {string} label @param {object | (() => void)} then */
  #ask(question, label, then, keep = "Keep it") {
    const done = () => {
      this.prompt = null;
      this.#showBar();
    };
    const go = () => (done(), typeof then === "function" ? then() : this.#send(then));
    const stay = button(keep, () => (done(), keep === REST && this.form?.showEnd()), "secondary");
    this.prompt = el("p.prompt", { role: "alert" }, question);
    const kind = typeof then === "function" ? "primary" : "primary danger";
    fill(this.bar, this.prompt, stay, button(said(label), go, kind));
    this.bar.hidden = false;
    this.#guard(this.bar, () => stay.focus());
  }

  #press() {
    const primary = this.#primary;
    if (this.prompt || this.isSending || !primary?.run) return;
    if (this.phase === "open" && this.form?.isUnread)
      this.#ask("You have not seen it to its end.", primary.label, primary.run, REST);
    else primary.run();
  }

  #submit() {
    return this.#send(answersOf(this.request, this.draft));
  }

  /** @param {object} answer */
  #send(answer) {
    keepDraft(this.entry.key, this.draft);
    return this.#sending(this.handlers.answer(answer));
  }

  /** @param {Promise<void>} sent */
  async #sending(sent) {
    [this.isSending, this.trouble] = [true, ""];
    this.#showBar();
    try {
      await sent;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const what = error instanceof RelayError && error.isLate ? "It may have arrived" : "Not sent";
      this.trouble = `${what}: ${error.message} It is kept here; send it again.`;
    } finally {
      this.isSending = false;
      this.update(this.entry);
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.#press();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (this.prompt) {
        this.prompt = null;
        this.#showBar();
        this.main.focus();
      } else if (this.draft.isDiscussing) this.#discuss(false);
      else this.handlers.close();
    }
  }
}

/** @param {string} url */
function webAddress(url) {
  try {
    const known = new URL(url);
    return ["http:", "https:"].includes(known.protocol) ? known : null;
  } catch {
    return null;
  }
}

/** @param {Element} element @param {string} text */
function label(element, text) {
  if (element.textContent !== text) fill(element, text && said(text));
}

/** A link, which only a tap opens. @param {any} request */
function link({ url }) {
  const known = webAddress(url);
  const open =
    known && el("a.open", { href: known.href, target: "_blank", rel: "noopener noreferrer" }, `Open ${known.host}`);
  return el(
    "section.link",
    el("p.hint", "It leads to"),
    el("p.host", said(known?.host ?? "an unknown place")),
    el("p.url", said(url)),
    open,
  );
}
