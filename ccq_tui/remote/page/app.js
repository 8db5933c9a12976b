/** The page: which requests there are, which one is open, and what is shown beside the list. */

import { button, el, fill, icon, part, said } from "./dom.js";
import { isBlank } from "./draft.js";
import { Feed, hearing } from "./feed.js";
import { ListView } from "./list_view.js";
import { pairView } from "./pair_view.js";
import { linkOf } from "./pairing.js";
import { clearShown } from "./push.js";
import { askedAt, headline, sessionName, standing } from "./records.js";
import { RequestView } from "./request_view.js";
import { notifications, settingsView } from "./settings_view.js";
import { draftOf, dropDraft, dropPairing, keepPairing, onPairingsElsewhere, pairings } from "./storage.js";

/** @typedef {import("./records.js").Entry} Entry */

const STREAMS = 3;
const QUIET_TIME = 15 * 60_000;
const LOOK_INTERVAL = 5_000;

/** @typedef {import("./feed.js").Hearing & {label: string, act: () => void}} Link How well a relay is heard, and what to do about it. */

class Page {
  constructor() {
    this.main = part("open");
    /** @type {Map<string, Feed>} */
    this.feeds = new Map();
    /** @type {Map<string, number>} When requests ended. */
    this.ended = new Map();
    /** @type {Set<string>} */
    this.dismissed = new Set();
    /** @type {RequestView | null} */
    this.view = null;
    this.wanted = "";
    /** Whether what is open opened by itself, and nothing was done since. */
    this.isUntouched = false;
    this.shows = "list";
    this.waited = 0;
    this.list = new ListView({
      open: (key) => this.open(key),
      dismiss: (key) => this.#dismiss(key),
      hasDraft: (key) => !isBlank(draftOf(key)),
    });
    fill(part("devices"), icon("devices"));
    part("devices").addEventListener("click", () => this.#go("settings"));
  }

  start() {
    onPairingsElsewhere(() => this.#pairingsChanged());
    addEventListener("hashchange", () => !this.#takeFragment() && this.#openByItself());
    addEventListener("popstate", ({ state }) => this.#show(state?.shows ?? "list", state?.key ?? ""));
    addEventListener("online", () => this.#lookAgain());
    addEventListener("offline", () => this.#lookAgain());
    document.addEventListener("visibilitychange", () => this.#lookAgain());
    addEventListener("keydown", (event) => event.key === "Escape" && this.#back());
    addEventListener("click", ({ target }) => {
      if (/** @type {Element} */ (target).closest("button, [type=radio], [type=checkbox]")) navigator.vibrate?.(10);
    });
    for (const touch of ["pointerdown", "keydown", "wheel", "focusin"])
      addEventListener(touch, () => (this.isUntouched = false));
    part("again").addEventListener("click", () => this.#link().act());
    setInterval(() => this.#render(), LOOK_INTERVAL);
    // A reload shows again what was open.
    this.wanted = history.state?.key?.split(".")[1] ?? "";
    history.replaceState(null, "");
    this.#pairingsChanged();
    if (!this.#takeFragment() && !pairings().length) this.#show("pair");
    if (!("serviceWorker" in navigator)) return;
    navigator.serviceWorker.addEventListener("message", () => this.#offer());
    // Without it, as where a certificate is not trusted, only pushes and the start without a network are missing.
    navigator.serviceWorker.register("/sw.js").catch(() => null);
  }

  /** Opens a request. @param {string} key */
  open(key) {
    this.#go("request", key);
    this.view?.focus();
  }

  get #entries() {
    return [...this.feeds.values()].flatMap((feed) => [...feed.entries.values()]);
  }

  /** What waits, oldest first. */
  get #waiting() {
    const open = this.#entries.filter((entry) => standing(entry).phase === "open");
    return open.sort((one, two) => Date.parse(askedAt(one)) - Date.parse(askedAt(two)));
  }

  get #quiet() {
    const now = Date.now();
    const isShown = ({ key }) => !this.dismissed.has(key) && now - (this.ended.get(key) ?? now) < QUIET_TIME;
    return this.#entries.filter((entry) => standing(entry).phase !== "open" && isShown(entry)).reverse();
  }

  #lookAgain() {
    for (const feed of this.feeds.values()) feed.lookAgain();
  }

  #pairingsChanged() {
    const known = pairings();
    for (const [id, feed] of this.feeds) {
      if (known.some((one) => one.id === id && one.token === feed.pairing.token)) continue;
      feed.stop();
      this.feeds.delete(id);
    }
    for (const [place, pairing] of known.entries()) {
      if (this.feeds.has(pairing.id)) continue;
      this.feeds.set(pairing.id, new Feed(pairing, (entry, before) => this.#changed(entry, before), place < STREAMS));
    }
    if (this.view && !this.feeds.has(this.view.entry.pairing.id)) this.#show("list");
    this.#render();
    this.#offer();
  }

  /** Takes a link's invitation, or the request that a notification names, out of the address. */
  #takeFragment() {
    const link = linkOf(location.hash);
    this.wanted = new URLSearchParams(location.hash.slice(1)).get("r") ?? this.wanted;
    if (location.hash) history.replaceState(history.state, "", location.pathname);
    if (link) this.#show("pair", "", link);
    return Boolean(link);
  }

  /** Takes a change; null once all that came together are there. @param {Entry | null} entry @param {Entry | null} before */
  #changed(entry, before) {
    if (entry) return this.#becomes(entry, before);
    this.#render();
    this.#openByItself();
  }

  /** @param {Entry} entry @param {Entry | null} before */
  #becomes(entry, before) {
    const [now, was] = [standing(entry), before && standing(before)];
    const name = entry.body ? sessionName(entry) : "A request";
    const say = (words) => fill(part("news"), said(words));
    const isStarting = this.feeds.get(entry.pairing.id)?.state === "starting";
    if (now.phase === "open" && was?.phase !== "open" && !isStarting) say(`${name} asks: ${headline(entry)}`);
    if (was && now.title && now.title !== was.title) say(`${name}: ${now.title}`);
    if (now.phase === "ended") {
      if (!this.ended.has(entry.key)) this.ended.set(entry.key, Date.now());
      entry.draft = before?.draft ?? draftOf(entry.key);
      dropDraft(entry.key);
    }
    const { machine } = entry.body ?? {};
    if (machine && machine !== entry.pairing.machine) keepPairing(Object.assign(entry.pairing, { machine }));
    if (this.view?.entry.key !== entry.key) return;
    this.view.update(entry);
    const isSettled = now.phase !== "open" && !entry.isGone && (entry.given || entry.statement?.end);
    if (this.isUntouched && isSettled && isBlank(this.view.draft)) this.#giveWay(now.title, headline(entry));
  }

  /** Leaves a request that opened by itself for the next one, or the list. @param {...string} words What became of it. */
  #giveWay(...words) {
    const [next] = this.#waiting;
    if (!next) return this.#back();
    this.#go("request", next.key);
    this.main.prepend(el("div.became", el("p", said(words.join(" · ")))));
  }

  /** Shows a place that the browser's way back leaves. @param {string} shows @param {string} [key] */
  #go(shows, key = "") {
    const state = { shows, key };
    if (this.shows === "list") history.pushState(state, "");
    else history.replaceState(state, "");
    this.#show(shows, key);
  }

  #back() {
    if (this.shows === "list" || !pairings().length) return;
    if (history.state?.shows) history.back();
    else this.#show("list");
  }

  /** @param {string} shows @param {string} [key] @param {import("./pairing.js").Link | null} [link] */
  #show(shows, key = "", link = null) {
    const entry = this.#entries.find((one) => one.key === key);
    this.shows = shows === "request" && !entry ? "list" : shows;
    const last = this.view?.entry.key;
    if (this.view?.entry.key !== key) this.view = null;
    if (this.shows === "request") {
      this.view ??= new RequestView(/** @type {Entry} */ (entry), this.#handlers(key));
      fill(this.main, this.view.element);
    } else if (this.shows === "settings") {
      const handlers = { pair: () => this.#go("pair"), changed: () => this.#paired("settings") };
      const view = settingsView((id) => this.#link(id).words, handlers);
      fill(this.main, this.#head("Pairings"), view);
    } else if (this.shows === "pair") {
      const view = pairView(link, () => this.#paired());
      fill(this.main, this.#head("Pair this device"), view);
    } else fill(this.main, el("p.nothing", this.#waiting.length ? "Choose a request." : ""));
    document.body.dataset.shows = this.shows;
    if (["settings", "pair"].includes(this.shows)) this.main.querySelector("h1")?.focus();
    scrollTo({ top: 0 });
    this.#render();
    if (this.shows === "list" && last) document.querySelector(`[data-key="${CSS.escape(last)}"]`)?.focus();
  }

  /** @param {string} title */
  #head(title) {
    const back =
      pairings().length > 0 &&
      button(icon("back"), () => this.#back(), "round back always", { "aria-label": "Back to the list" });
    return el("header.head.place", back, el("h1", { tabindex: "-1" }, title));
  }

  #paired(shows = "list") {
    const over = [...this.feeds.values()].filter((feed) => shows === "list" && feed.state === "revoked");
    const tokens = over.map(({ pairing }) => pairing.token);
    for (const { id, token } of pairings()) if (tokens.includes(token)) dropPairing(id);
    this.#pairingsChanged();
    this.#show(pairings().length ? shows : "pair");
  }

  /** @param {string} key @returns {import("./request_view.js").Handlers} */
  #handlers(key) {
    const current = () => /** @type {Entry} */ (this.#entries.find((one) => one.key === key));
    const feed = () => /** @type {Feed} */ (this.feeds.get(current().pairing.id));
    const next = () => {
      const other = this.#waiting.find((one) => one.key !== key);
      if (other) return { label: `Next: ${sessionName(other)}`, run: () => this.open(other.key) };
      return { label: "Done", run: () => this.#back() };
    };
    return {
      link: () => this.#link(key.split(".")[0]),
      answer: (answer) => feed().answer(current(), answer),
      leave: () => feed().leave(current()),
      close: () => this.#back(),
      next,
    };
  }

  /** @param {string} key */
  #dismiss(key) {
    this.dismissed.add(key);
    if (this.view?.entry.key === key) this.#back();
    this.#render();
  }

  #render() {
    const waiting = this.#waiting;
    const link = this.#link();
    document.title = waiting.length ? `(${waiting.length}) ccq-tui` : "ccq-tui";
    part("count").textContent = waiting.length ? `${waiting.length} waiting` : link.isKnown ? "All clear" : "ccq-tui";
    part("connection").textContent = link.words;
    part("connection").dataset.state = link.state;
    part("again").textContent = link.label;
    part("again").hidden = link.isKnown || link.state === "starting";
    document.body.classList.toggle("unpaired", !this.feeds.size);
    if (link.isKnown && !waiting.length) clearShown();
    this.view?.refresh();
    this.list.show(waiting, this.#quiet, this.view?.entry.key ?? "", link.isKnown);
  }

  /** @param {string} [id] Of a pairing; else all of them count. @returns {Link} */
  #link(id) {
    const heard = hearing([...this.feeds.values()].filter((feed) => !id || feed.pairing.id === id));
    if (heard.state === "unpaired") return { ...heard, label: "Pair this device", act: () => this.#go("pair") };
    if (heard.state === "revoked") return { ...heard, label: "Pair again", act: () => this.#go("pair") };
    return { ...heard, label: "Try now", act: () => this.#lookAgain() };
  }

  /** Opens the request that a link named, one that comes when nothing waits, or, beside the list, the first. */
  #openByItself() {
    const waiting = this.#waiting;
    const isWide = matchMedia("(min-width: 900px)").matches;
    const wanted = this.wanted && waiting.find((one) => one.record.id === this.wanted);
    const isReady = [...this.feeds.values()].every((feed) => feed.state !== "starting");
    const isOnly = isReady && !this.waited && waiting.length === 1;
    if (isReady) this.waited = waiting.length;
    if (!wanted && (this.shows !== "list" || !waiting.length || !(isWide || isOnly))) return;
    this.wanted = "";
    this.#go("request", (wanted || waiting[0]).key);
    this.isUntouched = !wanted;
  }

  /** Renews the notifications, and offers them. */
  #offer() {
    fill(part("list"), this.list.element, notifications(true));
  }
}

new Page().start();
