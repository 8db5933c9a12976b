/** The board: all runs by what they do, and beside it the one that is open; the address of a run's page opens it alone. */

import { button, el, fill, part, said } from "../static/dom.js";
import { RelayError, call } from "../static/relay.js";
import { age } from "../static/text.js";
import { RunView } from "./run_view.js";

const TOKEN = "ccq.board";
const POLL = 2_000;
const HIDDEN_POLL = 30_000;
const OPEN = ["queued", "working", "waiting", "parked"];
const OVER = ["ended", "failed", "stopped"];
const GROUPS = {
  waiting: "Waits for you",
  parked: "Paused",
  working: "Works",
  queued: "Waits for room",
  failed: "Failed",
  stopped: "Stopped",
  ended: "Ended",
  done: "Done",
};
const CLOSED = [401, 403, 404];

class Board {
  constructor() {
    const [, run, sign] = location.pathname.match(/^\/page\/([^/]+)\/([^/]+)$/) ?? [];
    this.page = run && `page.${run}.${sign}`;
    this.opened = run ?? "";
    this.most = 50;
    this.runs = [];
    this.counts = {};
    /** @type {RunView | null} */
    this.view = null;
    this.trouble = "";
    this.drawn = "";
    this.wake = () => {};
    this.#be("starting", "Connecting…");
    document.body.classList.toggle("unpaired", Boolean(run));
    part("leave").hidden = Boolean(run);
    part("leave").addEventListener("click", () => this.#leave(""));
    addEventListener("hashchange", () => this.#takeFragment());
    addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => this.wake());
    addEventListener("keydown", (event) => event.key === "Escape" && this.#close());
    if (run) this.#show();
    else this.#takeFragment();
    this.ran = this.#run();
  }

  get token() {
    return this.page || localStorage.getItem(TOKEN) || "";
  }

  /** Takes the token of a link, or the run to open, out of the address. */
  #takeFragment() {
    const given = location.hash.slice(1);
    if (given.startsWith("token=")) {
      localStorage.setItem(TOKEN, given.slice("token=".length));
      history.replaceState(null, "", "/");
      this.trouble = "";
    }
    this.opened = location.hash.slice(1);
    this.#show();
    this.wake();
  }

  /** Signs out. @param {string} why */
  #leave(why) {
    if (why) localStorage.removeItem(TOKEN);
    else localStorage.clear();
    [this.runs, this.counts, this.view, this.trouble] = [[], {}, null, why];
    this.#show();
    this.#draw();
  }

  #close() {
    if (!this.page && this.opened) location.hash = "";
  }

  /** Calls the service; throws an error with its reason. @param {string} method @param {string} path @param {object} [body] */
  async call(method, path, body) {
    try {
      return await call(method, path, { token: this.token, body });
    } catch (error) {
      if (error instanceof RelayError && !error.status) error.message = "The service cannot be reached.";
      throw error;
    } finally {
      if (method !== "GET") this.wake();
    }
  }

  async #run() {
    for (;;) {
      const pause = new Promise((resolve) => (this.wake = () => resolve(undefined)));
      if (this.token) await this.#look();
      setTimeout(this.wake, document.hidden ? HIDDEN_POLL : POLL);
      await pause;
    }
  }

  async #look() {
    const token = this.token;
    try {
      if (!this.page) {
        const open = await this.call("GET", `/runs?${states(OPEN)}&limit=1000`);
        const over = await this.call("GET", `/runs?${states(OVER)}&limit=${this.most}`);
        [this.runs, this.counts] = [[...open.runs, ...over.runs], open.counts];
      }
      await this.view?.look();
      this.#be("live", "Live");
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      if (token !== this.token) return;
      if (this.page && CLOSED.includes(error.status)) this.#closed(error.message);
      else if ([401, 403].includes(error.status)) this.#leave(error.message);
      else if (error.status === 404) this.#closed(error.message);
      else this.#be("offline", "Offline · trying again", error.message);
    }
    this.#draw();
  }

  /** Shows how well the service is heard. @param {string} state @param {string} words @param {string} [warning] */
  #be(state, words, warning = "") {
    const act = () => this.wake();
    this.link = { state, words, warning, isKnown: !warning, label: "Try now", act };
    part("connection").dataset.state = state;
    part("connection").textContent = words;
    this.view?.refresh();
  }

  /** Says why a run does not open. @param {string} why */
  #closed(why) {
    this.view = null;
    if (this.page) this.page = "";
    fill(part("open"), el("p.nothing", said(why)));
  }

  #show() {
    if (!this.token) return this.#signIn();
    document.body.classList.toggle("unpaired", Boolean(this.page));
    if (this.view?.id !== this.opened) this.view = null;
    document.body.dataset.shows = this.opened ? "request" : "list";
    if (this.opened && !this.view) {
      const close = this.page ? null : () => this.#close();
      this.view = new RunView(this.opened, (...words) => this.call(...words), () => this.link, close);
      fill(part("open"), this.view.element);
      scrollTo({ top: 0 });
    } else if (!this.opened) fill(part("open"), el("p.nothing", "Choose a run."));
  }

  #signIn() {
    const field = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
    const enter = (event) => {
      event.preventDefault();
      localStorage.setItem(TOKEN, field.value.trim());
      this.trouble = "";
      this.#show();
      this.wake();
    };
    document.body.dataset.shows = "request";
    document.body.classList.add("unpaired");
    const form = el(
      "form",
      { onsubmit: enter },
      el("div.field", el("label", { for: "token" }, "Token"), field),
      el("p.hint", "ccq-tui serve link NAME prints an address that signs in, ccq-tui serve token NAME a token."),
      el("p.wrong", { role: "alert" }, said(this.trouble)),
      el("button.primary", { type: "submit" }, "Sign in"),
    );
    fill(part("open"), el("section.pairing", el("h1", "The board of runs"), form));
    field.focus();
  }

  #draw() {
    const asked = this.runs.reduce((sum, run) => sum + run.questions, 0);
    const title = asked ? `${counted(asked, "question")} ${asked > 1 ? "wait" : "waits"}` : "No question waits";
    if (!this.page) document.title = `${asked ? `(${asked}) ` : ""}Runs · ccq-tui`;
    part("count").textContent = this.counts.queued === undefined ? "Runs" : title;
    const shown = el("div", ...this.#groups());
    if (this.drawn === shown.innerHTML) return;
    this.drawn = shown.innerHTML;
    const focused = document.activeElement?.getAttribute("href");
    fill(part("list"), ...shown.children, this.#more());
    if (focused) part("list").querySelector(`[href="${CSS.escape(focused)}"]`)?.focus();
  }

  #groups() {
    const of = (run) => (run.done ? "done" : run.questions && run.state !== "parked" ? "waiting" : run.state);
    const groups = Object.keys(GROUPS).map((name) => [name, this.runs.filter((run) => of(run) === name)]);
    return groups
      .filter(([, runs]) => runs.length)
      .map(([name, runs]) => {
        const asks = runs.reduce((sum, run) => sum + run.questions, 0);
        const more = asks ? `, ${counted(asks, "question")}` : "";
        const sorted = asks ? [...runs].sort((one, two) => since(one) - since(two)) : runs;
        return el(
          "section.group",
          { "aria-labelledby": `group-${name}` },
          el("h2", { id: `group-${name}` }, `${GROUPS[name]} · ${counted(runs.length, "run")}${more}`),
          el("ul.cards", ...sorted.map((run) => el("li", this.#card(run)))),
        );
      });
  }

  #card(run) {
    const [first] = run.waiting;
    const time = age(first?.asked_at ?? run.changed);
    const line = first?.text || (run.state === "failed" ? run.result : "");
    const places = [run.repository, run.machine].filter(Boolean).join(" · ");
    return el(
      "a.card",
      { href: `#${run.id}`, "aria-current": this.opened === run.id && "true" },
      el(
        "span.inside",
        el("span.top", said(run.title || run.id, "name"), el("span.age", first && time !== "now" ? `waits ${time}` : time)),
        line && said(line, "headline"),
        el(
          "span.places",
          run.questions > 0 && el("span.badge", counted(run.questions, "question")),
          said(places, "where"),
        ),
      ),
    );
  }

  /** Shows all runs that are over. */
  #more() {
    const all = OVER.reduce((sum, state) => sum + (this.counts[state] ?? 0), 0);
    const more = () => ((this.most = 1_000), this.wake());
    return all > this.most && this.most < 1_000 && button(`Show all ${all} that are over`, more, "quiet");
  }
}

/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
/** @param {string[]} names */
const states = (names) => names.map((name) => `state=${name}`).join("&");
/** @param {any} run */
const since = (run) => Date.parse(run.waiting[0]?.asked_at ?? run.changed);

new Board();
