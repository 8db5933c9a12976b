/**
 * Requests as the relay has them, opened, and what became of them.
 *
 * @typedef {import("./storage.js").Pairing} Pairing
 * @typedef {{by: string, isMine: boolean, isSkipped: boolean, device?: string, answer?: any}} Given Who answered what.
 * @typedef {object} Entry A request on this page.
 * @property {string} key Of all pairings.
 * @property {Pairing} pairing
 * @property {any} record As the relay has it.
 * @property {any} body What a person sees of it, or null if it cannot be opened.
 * @property {any} statement The terminal's, or null.
 * @property {Given | null} given
 * @property {any} [draft] What was entered here until it ended.
 * @property {boolean} isGone Whether the relay has it no longer.
 *
 * @typedef {object} Standing What a person needs to know of its state.
 * @property {"open" | "sent" | "ended" | "unreadable"} phase
 * @property {string} title
 * @property {string} detail
 * @property {string} refused
 * @property {boolean} isParked
 */

import { SealError, Sealer } from "./seal.js";
import { keyOf } from "./storage.js";
import { harmless, oneLine } from "./text.js";

const ENDS = {
  answered: "Answered",
  declined: "Declined",
  parked: "Paused",
  withdrawn: "Withdrawn",
  expired: "Expired",
};

/** Opens the records of one pairing. */
export class Opener {
  /** @param {Pairing} pairing */
  constructor(pairing) {
    this.pairing = pairing;
    this.sealer = pairing.key ? new Sealer(keyOf(pairing), pairing.id) : null;
  }

  /** @param {any} record @param {Entry | null} before The same one, as it was. @returns {Promise<Entry>} */
  async entry(record, before) {
    const { pairing } = this;
    const key = `${pairing.id}.${record.id}`;
    const [body, statement, answered] = await Promise.all([
      this.#body(record, before),
      record.statement && this.#open(record, "statement", record.statement, record.statement),
      record.answer && this.given(record, record.answer),
    ]);
    // The relay has the first answer of a device; the inbox may have had another one before.
    const isOver = statement?.end && statement.end !== "parked";
    const given = isOver && (statement.device ?? answered?.device) !== answered?.device ? null : answered;
    return { key, pairing, record, body: body?.request ? body : null, statement, given, isGone: false };
  }

  /** Who gave an answer; null for one that is sealed by nobody. @param {any} record @param {any} given @returns {Promise<Given | null>} */
  async given(record, given) {
    const inside = await this.#open(record, "answer", given, { ...given, name: given.device?.name });
    const isSkipped = Boolean(given.skipped);
    if (!inside && !isSkipped) return null;
    const isOurs = !this.sealer || isSkipped || inside?.name === this.pairing.name;
    const isMine = given.device?.id === this.pairing.deviceId && isOurs;
    const by = isMine ? "on this device" : inside?.name ? `on ${oneLine(inside.name, 60)}` : "on another device";
    return { by, isMine, isSkipped, device: given.device?.id, answer: inside?.answer };
  }

  /** The body of a call that answers. @param {Entry} entry @param {object} answer */
  async answer({ record }, answer) {
    if (!this.sealer) return { answer };
    const content = { answer, name: this.pairing.name, at: new Date().toISOString() };
    return { sealed: await this.sealer.seal(content, about(record, "answer")) };
  }

  /** @param {any} record @param {Entry | null} before */
  #body(record, before) {
    const isSame = before && ["id", "expires", "sealed"].every((name) => before.record[name] === record[name]);
    if (this.sealer && isSame) return before.body;
    return this.#open(record, "request", record, record.body);
  }

  /**
   * @param {any} record
   * @param {import("./seal.js").Kind} kind
   * @param {any} holder Of the envelope.
   * @param {any} plain
   */
  async #open(record, kind, holder, plain) {
    if (!this.sealer) return plain;
    try {
      return await this.sealer.open(String(holder.sealed), about(record, kind));
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  }
}

/** @param {any} record @param {import("./seal.js").Kind} kind */
const about = (record, kind) => ({
  kind,
  id: record.id,
  expires: record.expires,
  request: kind === "request" ? "" : record.sealed,
});

/** @param {Entry} entry @returns {Standing} */
export function standing({ record, body, statement, given, isGone }) {
  const end = statement?.end ?? "";
  const isParked = end === "parked" || Boolean(body?.session?.parked);
  const stands = (phase, title = "", detail = "", refused = "") => ({ phase, title, detail, refused, isParked });
  const by = given?.isMine ? "on this device" : oneLine(statement?.by, 80);
  const ended = `${ENDS[end] ?? "Closed"} ${by}`.trim();
  const text = given?.isMine ? "" : oneLine(statement?.text);
  const who = askerOf(body ?? {});
  const waits = `Waiting for ${who}`;
  const taken = [text, `${who.replace(/^the /, "The ")} has it`].filter(Boolean).join(" · ");
  if (statement?.taken) return stands("ended", ended, taken);
  if (record.status === "ended" || isGone) {
    if (end && end !== "parked") return stands("ended", ended, oneLine(statement.text));
    if (given?.isMine && !given.isSkipped)
      return stands("ended", "Answered on this device", "The relay no longer has this request");
    return stands("ended", "Gone from the relay", "Look at the computer: it may still wait there");
  }
  if (!body) return stands("unreadable", "Could not be opened", "It was changed on its way, or is not for this device");
  if (given?.isSkipped) return stands("sent", "Left to the computer", "Answer it there");
  if (record.status === "answered" && end && end !== "parked") return stands("sent", ended, waits);
  if (given?.isMine) return stands("sent", "Sent", waits);
  if (given) return stands("sent", `Answered ${given.by}`, waits);
  if (Date.parse(record.expires) < Date.now()) return stands("ended", "Expired", "Nobody answered in time");
  return stands("open", "", "", harmless(statement?.refused).slice(0, 500));
}

/** Whether nothing more will become of it. @param {Entry} entry */
export const isFinal = ({ statement, isGone }) =>
  isGone || Boolean(statement?.taken) || ["declined", "withdrawn", "expired"].includes(statement?.end);

/** The request in a line. @param {Entry} entry */
export function headline({ body }) {
  const request = body?.request ?? {};
  if (request.kind === "question") {
    const [first, ...more] = request.questions ?? [];
    return oneLine(request.title || first?.text) + (more.length ? ` and ${more.length} more` : "");
  }
  if (request.kind === "permission") return oneLine(request.description || does(request));
  if (request.kind === "plan") return oneLine(/^\s*#*\s*(.*)/.exec(String(request.plan ?? ""))?.[1]);
  return oneLine(request.message || request.title || request.questions?.[0]?.text);
}

/** What sort of request it is, in a word or two. @param {Entry} entry */
export function kindWords({ body }) {
  const request = body?.request ?? {};
  if (request.kind === "permission") return `Permission · ${oneLine(request.tool, 40)}`;
  if (request.kind === "elicitation")
    return `${request.mode === "url" ? "Link" : "Form"} · ${oneLine(request.server, 40)}`;
  if (request.kind === "plan") return "Plan";
  const { kind, questions = [] } = request;
  if (kind === "form") return questions.length === 1 ? "Question" : "Form";
  return questions.length > 1 ? `${questions.length} questions` : oneLine(questions[0]?.header, 40) || "Question";
}

/** When it was asked, by the terminal's word rather than the relay's. @param {Entry} entry */
export const askedAt = ({ body, record }) => body?.request.asked_at || record.timestamp;

/** Where it is asked. @param {Entry} entry */
export const directoryOf = ({ body }) => body?.session?.directory || body?.request?.origin?.directory || "";

/** What to call who asks. @param {Entry} entry */
export const sessionName = ({ body }) =>
  oneLine(body?.session?.name, 60) || oneLine(body?.request?.origin?.name, 60) || "A session";

/** Who gets the answer, after "by" or "for". @param {any} body */
export const askerOf = ({ request: { origin } = {} }) =>
  (origin?.asker ?? "session") === "session" ? "the session" : oneLine(origin.name, 40).replace(/^A /, "the ") || "the program";

/** What a call would do, in a few words. @param {any} request */
export function does({ tool, input = {}, change = {} }) {
  const file = oneLine(input.file_path ?? input.notebook_path, 400)
    .split("/")
    .at(-1);
  if (tool === "Bash") return "Run a command";
  if (file && ["Write", "Edit", "MultiEdit", "NotebookEdit"].includes(tool))
    return `${change.type === "create" ? "Create" : "Edit"} ${file}`;
  const about = oneLine(firstText(input), 80);
  return `Use ${oneLine(tool, 80)}${about && `: ${about}`}`;
}

/** @param {any} input */
const firstText = (input) => Object.values(input ?? {}).find((value) => typeof value === "string");
