/** Keeps the requests of one pairing as the relay has them: by events, else by asking every 2 s. */

import { Opener, isFinal, standing } from "./records.js";
import { RelayError, call, canStream, follow } from "./relay.js";

const POLL = 2_000;
const HIDDEN_POLL = 30_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 4_000;
const REVOKED_PAUSE = 60_000;
const FRESH = 30_000;
const STREAM_PAUSE = 30_000;
const SHORT_STREAM = 5_000;
const MOST_ENDED = 50;
const REVOKED = [401, 403];

/** What a person reads of each state, the worst first; the second text stands beside the button that answers. */
const STATES = {
  revoked: ["No longer paired", "Not paired any more: no answer can be sent from here."],
  offline: ["Offline · trying again", "Offline: what you enter stays here."],
  late: ["Looking again…", ""],
  starting: ["Connecting…", ""],
  polling: ["Live, asks every 2 s", ""],
  live: ["Live", ""],
};

/** @typedef {import("./records.js").Entry} Entry */
/** @typedef {{state: string, words: string, warning: string, isKnown: boolean}} Hearing */

/** How well feeds hear their relay, of which the worst counts, and whether what they have is what it has. @param {Feed[]} feeds @returns {Hearing} */
export function hearing(feeds) {
  const state = Object.keys(STATES).find((one) => feeds.some((feed) => feed.shown === one)) ?? "unpaired";
  const [words, warning] = STATES[state] ?? ["This device is not paired", ""];
  return { state, words, warning, isKnown: ["polling", "live"].includes(state) };
}

export class Feed {
  /**
   * @param {import("./storage.js").Pairing} pairing
   * @param {(entry: Entry | null, before: Entry | null) => void} changed Called for each change, with null after the last.
   * @param {boolean} mayStream A browser has few connections to one relay.
   */
  constructor(pairing, changed, mayStream) {
    this.pairing = pairing;
    this.changed = changed;
    this.mayStream = mayStream && canStream();
    this.opener = new Opener(pairing);
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    /** @type {"starting" | "live" | "polling" | "offline" | "revoked" | "stopped"} */
    this.state = "starting";
    this.failures = 0;
    this.streamAgain = 0;
    this.heardAt = 0;
    this.isAsked = false;
    this.stream = new AbortController();
    this.calls = new AbortController();
    this.wake = () => {};
    this.work = Promise.resolve();
    this.ran = this.#run();
  }

  /** The state, unless nothing was heard for too long to rely on it. */
  get shown() {
    const isOld = ["live", "polling"].includes(this.state) && Date.now() - this.heardAt > FRESH;
    return isOld ? "late" : this.state;
  }

  stop() {
    this.#be("stopped");
    this.lookAgain();
  }

  /** Looks again at once, whatever stalls: the page became visible or online, or a person asks; or is about to be hidden. */
  lookAgain() {
    this.failures = this.streamAgain = 0;
    this.isAsked = true;
    this.stream.abort();
    if (!document.hidden) this.calls.abort();
    this.wake();
  }

  /** Sends an answer; throws `RelayError`. @param {Entry} entry @param {object} answer */
  async answer(entry, answer) {
    return this.#send(entry, await this.opener.answer(entry, answer));
  }

  /** Leaves it to the terminal; throws `RelayError`. @param {Entry} entry */
  leave(entry) {
    return this.#send(entry, { skipped: true });
  }

  /** @param {Entry} entry @param {object} body */
  async #send(entry, body) {
    const { id } = entry.record;
    let answer = { ...body, device: { id: this.pairing.deviceId } };
    try {
      await this.#call("POST", `/request/${this.pairing.id}/${id}/answer`, body);
    } catch (error) {
      if (error instanceof RelayError && error.isLate) this.#soon(() => this.#update(id));
      if (!(error instanceof RelayError) || error.status !== 409) throw error;
      answer = error.winner ?? answer;
      if (!error.winner) return this.#soon(() => this.#update(id));
    }
    const given = await this.opener.given(entry.record, answer);
    if (!given) throw new RelayError(409, { detail: "The relay has an answer that no device of yours gave." });
    this.#put({ ...entry, given });
    this.#soon(() => this.#update(id));
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  #call(method, path, body) {
    if (this.calls.signal.aborted) this.calls = new AbortController();
    return call(method, path, { token: this.pairing.token, body, stop: this.calls });
  }

  async #run() {
    while (this.state !== "stopped") {
      this.isAsked = false;
      try {
        const isStreaming = await this.#follow();
        await this.#refresh();
        this.failures = 0;
        this.changed(null, null);
        if (isStreaming && !document.hidden) continue;
        this.#be("polling");
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        if (this.isAsked) continue;
        this.failures += 1;
        const isRevoked = REVOKED.includes(error.status);
        this.#be(isRevoked ? "revoked" : "offline");
        await this.#pause(Math.max(error.wait * 1000, isRevoked ? REVOKED_PAUSE : this.#backOff()));
        continue;
      }
      await this.#pause(document.hidden ? HIDDEN_POLL : POLL);
    }
  }

  #backOff() {
    return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (this.failures - 1)) * (0.75 + Math.random() / 2);
  }

  /** Follows the events while that is possible; returns whether it was, for long enough to try again at once. */
  async #follow() {
    if (!this.mayStream || document.hidden || Date.now() < this.streamAgain) return false;
    this.stream = new AbortController();
    const [stop, began] = [this.stream, Date.now()];
    const opened = () => {
      this.#soon(async () => {
        await this.#refresh();
        this.failures = 0;
        if (!stop.signal.aborted) this.#be("live");
      });
    };
    const heard = () => (this.heardAt = Date.now());
    const event = ({ id }) => this.#soon(() => this.#update(id));
    try {
      await follow(this.pairing.id, this.pairing.token, stop, { opened, heard, event });
    } catch (error) {
      if (!(error instanceof RelayError) || REVOKED.includes(error.status)) throw error;
    }
    await this.work;
    const isLasting = stop.signal.aborted || Date.now() - began > SHORT_STREAM;
    if (!isLasting) this.streamAgain = Date.now() + STREAM_PAUSE;
    return isLasting;
  }

  /** Does one thing after the other, so that no older answer of the relay overwrites a newer one. @param {() => Promise<void>} job */
  #soon(job) {
    const done = () => this.changed(null, null);
    this.work = this.work.then(job).then(done, (error) => {
      this.stream.abort();
      if (!(error instanceof RelayError)) reportError(error);
    });
    return this.work;
  }

  async #refresh() {
    const { requests } = await this.#call("GET", `/requests/${this.pairing.id}`);
    this.heardAt = Date.now();
    for (const record of requests) this.#put(await this.#entry(record));
    this.#forget();
    const listed = new Set(requests.map((record) => record.id));
    for (const entry of [...this.entries.values()]) {
      if (listed.has(entry.record.id) || isFinal(entry)) continue;
      await this.#update(entry.record.id);
    }
  }

  /** Keeps the last of those that ended. */
  #forget() {
    const over = [...this.entries].filter(([, entry]) => isFinal(entry));
    for (const [id] of over.slice(0, -MOST_ENDED)) this.entries.delete(id);
  }

  /** @param {string} id */
  async #update(id) {
    try {
      const record = await this.#call("GET", `/request/${this.pairing.id}/${id}`);
      if (record.status !== "ended" || this.entries.has(id)) this.#put(await this.#entry(record));
    } catch (error) {
      if (!(error instanceof RelayError) || error.status !== 404) throw error;
      const known = this.entries.get(id);
      if (known) this.#put({ ...known, isGone: true });
    }
  }

  /** @param {any} record */
  #entry(record) {
    return this.opener.entry(record, this.entries.get(record.id) ?? null);
  }

  /** @param {Entry} entry */
  #put(entry) {
    const before = this.entries.get(entry.record.id) ?? null;
    if (before && before.record.seq > entry.record.seq) return;
    this.entries.set(entry.record.id, entry);
    const same = before && before.record.seq === entry.record.seq && before.isGone === entry.isGone;
    if (!same || standing(before).title !== standing(entry).title) this.changed(entry, before);
  }

  /** @param {typeof this.state} state */
  #be(state) {
    if (this.state === state || this.state === "stopped") return;
    this.state = state;
    this.changed(null, null);
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => (clearTimeout(timer), resolve(undefined));
    });
  }
}
