/** One run: what it does, what it asks, what may be done to it, and what happened in it. */

import { button, el, fill, icon, prose, said } from "../static/dom.js";
import { isBlank } from "../static/draft.js";
import { markdown } from "../static/markdown.js";
import { RequestView } from "../static/request_view.js";
import { dropDraft } from "../static/storage.js";
import { harmless, oneLine } from "../static/text.js";

const OVER = ["ended", "failed", "stopped"];
const WORDS = {
  queued: "It waits for room.",
  working: "It works.",
  waiting: "It waits for an answer.",
  parked: "It waits for an answer; no process runs.",
  ended: "It is done. A message continues it.",
  failed: "It failed. A message continues it.",
  stopped: "It was stopped. A message continues it.",
};
const KINDS = { started: "Started", said: "Said", asked: "Asked", answered: "Answered", parked: "Paused", ended: "Ended" };
const MOST_TEXT = 20_000;
const LINK = /\[([^\]\n]{1,80})\]\((https:\/\/github\.com\/[^\s)]{1,8000})\)\s*$/;

export class RunView {
  /**
   * @param {string} id
   * @param {(method: string, path: string, body?: object) => Promise<any>} call
   * @param {() => import("../static/app.js").Link} link How well the service is heard.
   * @param {(() => void) | null} close Goes back to the board; null where there is none.
   */
  constructor(id, call, link, close) {
    this.id = id;
    this.call = call;
    this.link = link;
    this.close = close;
    this.run = null;
    this.after = 0;
    /** @type {any[]} What happened, the newest first. */
    this.events = [];
    this.asks = [];
    /** @type {RequestView | null} */
    this.view = null;
    this.looks = 0;
    this.about = "";
    this.title = el("h1", { tabindex: "-1" }, "A run");
    this.places = el("p.places");
    const back = close && button(icon("back"), close, "round back", { "aria-label": "Back to the board" });
    const head = el("header.head", back, el("div.names", this.title, this.places));
    this.state = el("p.doing", { role: "status" });
    this.trouble = el("p.wrong", { role: "alert" });
    this.asked = el("div");
    this.ways = el("div.ways", { role: "group", "aria-label": "What to do with the run" });
    this.more = this.#message();
    this.happened = el("ol.happened");
    const rest = el("div.content", this.trouble, this.ways, this.more, el("h2", "What happened"), this.happened);
    this.element = el("article.run", { "aria-busy": "true" }, head, el("div.content", this.state), this.asked, rest);
  }

  /** Asks the service how the run is; throws what the call throws. */
  async look() {
    const run = await this.call("GET", `/runs/${this.id}?after=${this.after}`);
    const here = run.here && run.questions > 0;
    this.asks = here ? (await this.call("GET", `/runs/${this.id}/requests`)).requests : [];
    if (!run.here && run.asked) this.asks = [askedElsewhere(run.asked)];
    const isFirst = !this.run;
    this.run = run;
    this.#happen(run.events);
    this.#showRequest();
    this.#showHead();
    this.#showWays();
    this.element.removeAttribute("aria-busy");
    if (isFirst) this.title.focus({ preventScroll: true });
  }

  /** Shows what time and the connection change. */
  refresh() {
    const { state, questions } = this.run ?? {};
    const words = questions && state === "working" ? "It asks, and waits for an answer." : WORDS[state];
    const { warning } = this.link();
    if (this.run) this.state.textContent = warning ? `${warning} Before that: ${words}` : words;
    this.view?.refresh();
  }

  #showHead() {
    const { title, repository, machine, branch, kind, url, state } = this.run;
    const branches = branch || (kind === "question" ? "only reads" : "no branch yet");
    const places = [this.id, repository, machine, branches].filter(Boolean).join(" · ");
    const ticket = /^https?:\/\//.test(url) && el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, "The ticket");
    const shown = el("p.places", said(oneLine(places, 300)), ticket && " · ", ticket);
    if (shown.innerHTML !== this.places.innerHTML) fill(this.places, ...shown.childNodes);
    const name = oneLine(title || this.id, 200);
    if (this.title.textContent !== name) fill(this.title, said(name));
    if (!this.close) document.title = `${name} · ccq-tui`;
    this.state.dataset.state = this.run.questions ? "waiting" : state;
    this.refresh();
  }

  // -- what it asks -----------------------------------------------------------------------------------------

  #showRequest() {
    const current = this.view && this.asks.find((one) => one.id === this.view?.entry.record.id);
    if (this.view && !current) this.#end(this.view);
    // A call that a stop withdrew asks anew, under its id.
    const isOver = this.view?.phase === "ended" || (this.view?.phase === "sent" && !current);
    const isKept = !this.view?.entry.given?.isMine && !isBlank(this.view?.draft ?? null);
    if (this.asks.length && (!this.view || (isOver && !isKept))) this.#open(this.asks[0]);
  }

  /** @param {any} request */
  #open(request) {
    const { run } = this;
    const act = ["permission", "plan"].includes(request.kind) || request.decides ? "allow" : "answer";
    const why = run.refused[act];
    const text = run.asked?.meant.startsWith(`${request.id}:`) || !run.here ? run.asked.text : run.waiting[0]?.text;
    // What may not be answered is shown as its ticket shows it.
    const none = { choices: [], questions: [], reply: false, dismiss: false };
    const shown = why ? { ...request, ...none, intro: text, message: text, problem: why } : request;
    const session = { id: run.id, name: run.title, directory: "", parked: run.state === "parked" };
    const record = { id: request.id, status: "pending", timestamp: run.changed, expires: "9999-12-31T00:00:00Z" };
    const body = { machine: run.machine, session, context: "", cut: false, request: shown };
    const key = `${run.id}.${request.id}`;
    const entry = { key, pairing: null, record, body, statement: null, given: null, isGone: false };
    this.looks = 0;
    const view = new RequestView(entry, {
      answer: (answer) => this.#answer(view, request, answer),
      leave: null,
      close: () => this.close?.(),
      next: () => this.#next(),
      link: this.link,
    });
    this.view = view;
    this.about = request.meant?.split(":")[0] ?? request.id;
    const command = `ccq-tui answer ${this.about}`;
    const words = el("p.hint", "Or in ccq-tui on ", said(run.machine), ", or there by ", el("code", harmless(command)));
    const also = el("div.content.also", words);
    fill(this.asked, view.element, also);
  }

  #next() {
    const [other] = this.asks;
    if (other && other.id !== this.view?.entry.record.id) return { label: "Next question", run: () => this.#open(other) };
    return this.close && { label: "Back to the board", run: this.close };
  }

  /** @param {RequestView} view @param {any} request @param {any} answer */
  async #answer(view, request, answer) {
    if (request.meant) {
      const [given] = answer.answers;
      const text = given.other ?? request.questions[0].options[given.selected[0] - 1].label;
      await this.#say({ text, meant: request.meant });
    } else await this.call("POST", `/runs/${this.id}/requests/${request.id}/answer`, { answer });
    const given = { by: "here", isMine: true, isSkipped: false, answer };
    this.looks = 0;
    view.update({ ...view.entry, given });
  }

  /** Says what became of a request that no longer waits, once that is certain. @param {RequestView} view */
  #end(view) {
    const { entry } = view;
    const said = this.events.find(({ kind, body }) => kind === "answered" && body.request === this.about);
    const isFurther = this.asks.some(({ meant }) => meant?.startsWith(`${this.about}:`));
    this.looks += 1;
    if (!said && !isFurther && (entry.given || this.looks < 3) && !OVER.includes(this.run.state)) return;
    this.asked.querySelector(".also")?.remove();
    const statement = { end: said || isFurther || entry.given ? "answered" : "withdrawn", by: "", text: said?.body.text ?? "", taken: false };
    const ended = { ...entry, record: { ...entry.record, status: "ended" }, statement };
    dropDraft(entry.key);
    view.update(ended);
  }

  // -- what may be done -------------------------------------------------------------------------------------

  #showWays() {
    const { state, refused, done, here, repository } = this.run;
    const isOver = OVER.includes(state);
    const path = `/runs/${this.id}`;
    const way = (label, then) => button(label, () => this.#do(then), "way");
    const again = state !== "ended" && repository && !refused.prompt;
    const ways = [
      !isOver && !refused.stop && way("Stop the run", () => this.call("POST", `${path}/stop`)),
      isOver && again && way("Retry", () => this.#say({ text: "Try again: go on where you stopped." })),
      isOver && here && this.run.session && this.close && !refused.stop && way(done ? "Not done" : "Done", () => this.call("POST", `${path}/done`, { done: !done })),
    ].filter(Boolean);
    const labels = ways.map((one) => one.textContent).join();
    if (this.ways.dataset.ways !== labels) fill(this.ways, ...ways);
    this.ways.dataset.ways = labels;
    this.ways.hidden = !labels;
    this.more.hidden = Boolean(refused.prompt) || (!isOver && this.run.questions > 0);
  }

  #message() {
    const label = el("label", { for: "message" }, "Say more to the session");
    const field = prose("message", "", () => (send.disabled = !text.value.trim()), label);
    const text = field.querySelector("textarea");
    const send = el("button.secondary", { type: "submit", disabled: true }, "Send");
    const submit = (event) => {
      event.preventDefault();
      this.#do(async () => {
        await this.#say({ text: text.value });
        text.value = "";
        send.disabled = true;
      });
    };
    return el("form.message", { hidden: true, onsubmit: submit }, field, send);
  }

  /** @param {object} body */
  #say(body) {
    return this.call("POST", `/runs/${this.id}/messages`, { id: crypto.randomUUID?.() ?? String(Math.random()), ...body });
  }

  /** Does something to the run, and says why it was not done. @param {() => Promise<any>} then */
  async #do(then) {
    fill(this.trouble);
    try {
      await then();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      fill(this.trouble, said(error.message));
    }
  }

  // -- what happened ----------------------------------------------------------------------------------------

  /** @param {any[]} events The newest first. */
  #happen(events) {
    if (!events.length) return;
    this.after = events[0].number;
    this.events.unshift(...events);
    const shown = events.filter(({ kind, body }) => KINDS[kind] && (kind === "started" || body.text));
    this.happened.prepend(...shown.map((one) => this.#event(one)));
  }

  /** @param {any} event */
  #event({ kind, at, body }) {
    const text = String(body.text ?? "").slice(0, MOST_TEXT);
    const link = kind === "ended" ? text.match(LINK) : null;
    const tool = kind === "said" && body.kind === "action";
    const head = el("h3", tool ? said(oneLine(text, 80)) : kind === "ended" && body.end === "error" ? "Failed" : KINDS[kind]);
    const time = el("time", { datetime: at }, new Date(at).toLocaleString());
    const words = tool ? el("pre", { tabindex: "0", dir: "auto" }, harmless(body.parameter)) : markdown(link ? text.slice(0, link.index) : text);
    const open = link && el("a.open", { href: link[2], target: "_blank", rel: "noopener noreferrer" }, said(link[1]), " · github.com");
    return el("li", el("div.top", head, time), tool && !body.parameter ? null : words, open);
  }
}

/** A question of another machine's run, whose answer is what a person would write in its ticket. @param {any} asked */
function askedElsewhere({ meant, event, text, options, decides }) {
  const listed = options.map((label, place) => ({ number: place + 1, label }));
  const one = { text: "Your answer", options: listed, multi_select: false, closed: Boolean(decides && listed.length) };
  const rules = { review: false, notes: false, reply: false, dismiss: false, declines: false };
  return { kind: "question", id: event, meant, decides, title: "", intro: text, questions: [one], ...rules };
}
