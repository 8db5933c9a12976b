/**
 * What a person has entered for a request, and the answer that it makes. Nothing is chosen before a person does it.
 *
 * @typedef {object} Part What was entered for one question.
 * @property {number[]} selected Numbers of options.
 * @property {boolean} isOther Whether the text of one's own is selected.
 * @property {string} other
 * @property {string} note
 * @property {boolean} isNone Whether nothing of a multi-select is the answer, on purpose.
 * @property {boolean} isProposed Whether it is as it was proposed: it counts once it is confirmed.
 *
 * @typedef {{parts: Part[], page: number, isDiscussing: boolean, prose: string}} Draft
 */

import { oneLine } from "./text.js";

/**
 * A request as this page asks it: a decision as one question, and with the rules that an older terminal leaves out.
 * @param {any} request
 */
export function asAsked(request) {
  const { kind, choices, takes_prose, questions = [] } = request;
  if (choices) return { ...request, questions: [{ text: "", closed: true, options: choices }] };
  if (!questions.length || request.review !== undefined) return request;
  const isForm = kind === "form";
  const asked = questions.map((one) => {
    const when = one.when && { ...one.when, options: named(questions[one.when.question - 1], one.when) };
    return { none: one.multi_select && !isForm, skip: isForm && !one.required ? [] : undefined, ...one, when };
  });
  const review = asked.length > 1 || asked[0].multi_select || Boolean(asked[0].skip);
  const prose = kind === "question" && takes_prose !== false;
  return { review, notes: prose, reply: prose, dismiss: kind !== "question", ...request, questions: asked };
}

/** @param {any} question @param {any} when */
const named = ({ options }, { equals, contains }) =>
  options.filter(({ label }) => label === (equals ?? contains)).map(({ number }) => number);

/** @param {any} request @returns {Draft} */
export function newDraft({ questions = [] }) {
  const parts = questions.map(({ proposed }) => ({
    selected: proposed?.selected ?? [],
    isOther: false,
    other: proposed?.text ?? "",
    note: "",
    isNone: false,
    isProposed: Boolean(proposed),
  }));
  return { parts, page: 0, isDiscussing: false, prose: "" };
}

/** Whether a kept draft belongs to a request. @param {any} draft @param {any} request */
export const fits = (draft, request) =>
  Array.isArray(draft?.parts) &&
  draft.parts.length === (request.questions?.length ?? 0) &&
  typeof draft.page === "number";

/** Whether nothing was entered. @param {Draft | null} draft */
export const isBlank = (draft) =>
  !draft ||
  (typed(draft).length === 0 &&
    draft.parts.every(({ selected, isNone, isProposed }) => isProposed || !(selected.length || isNone)));

/** Whether a question lists options; one without is answered in words. @param {any} question */
export const hasOptions = (question) => question.options.length > 0;

/** The text that is part of the answer. @param {any} question @param {Part} part */
export const ownText = (question, part) =>
  (!hasOptions(question) || part.isOther) && part.other.trim() ? part.other : "";

/** @param {any} question @param {Part} part */
export const isGiven = (question, part) => part.selected.length > 0 || Boolean(ownText(question, part)) || part.isNone;

/**
 * Whether each question is asked, given the answers before it; the answer to one that is not counts as none.
 * @param {any[]} questions @param {Part[]} parts
 */
export function areAsked(questions, parts) {
  /** @type {boolean[]} */
  const asked = [];
  for (const { when } of questions) {
    const place = when ? when.question - 1 : 0;
    asked.push(!when || (asked[place] && holds(when, questions[place], parts[place])));
  }
  return asked;
}

/** @param {any} when @param {any} question The earlier one. @param {Part} part */
function holds({ equals, contains, options = [] }, question, part) {
  if (problem(question, part)) return false;
  const own = ownText(question, part).trim().normalize();
  const isChosen = part.selected.some((number) => options.includes(number));
  if (contains !== undefined) return isChosen || (own !== "" && own.includes(contains.normalize()));
  if (part.selected.length) return isChosen && part.selected.length === 1 && !own;
  return own !== "" && (own === equals.normalize() || (question.kind === "number" && Number(own) === Number(equals)));
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const within = (size, { minimum = -Infinity, maximum = Infinity }) => size >= minimum && size <= maximum;
/** Whether an answer keeps a rule; one that is not known here is checked where the answer arrives. */
const KEEPS = {
  number: ({ text }) => NUMBER.test(text) && Number.isFinite(Number(text)),
  whole: ({ text }) => Number.isInteger(Number(text)),
  range: ({ text }, check) => within(Number(text), check),
  length: ({ size }, check) => within(size, check),
};

/** What is wrong with an entry, or "". @param {any} question @param {Part} part */
export function problem(question, part) {
  const own = ownText(question, part);
  const text = own.trim();
  if (!isGiven(question, part) || question.skip?.includes(text.toLowerCase())) return "";
  const size = hasOptions(question) ? part.selected.length + (own ? 1 : 0) : [...own].length;
  return question.checks?.find((check) => KEEPS[check.rule]?.({ text, size }, check) === false)?.says ?? "";
}

/** @param {any} question @param {Part} part */
function answerOf(question, part) {
  if (!isGiven(question, part)) return null;
  const other = ownText(question, part);
  return {
    ...(part.selected.length > 0 && { selected: [...part.selected].sort((one, two) => one - two) }),
    ...(other && { other }),
    ...(part.note.trim() && { note: part.note }),
    ...(part.isNone && { empty: true }),
  };
}

/** The public JSON of the answers. @param {any} request @param {Draft} draft */
export function answersOf({ questions, choices }, { parts }) {
  if (choices) return { choice: parts[0].selected[0], ...(parts[0].isOther && { note: parts[0].other }) };
  const asked = areAsked(questions, parts);
  return { answers: questions.map((question, place) => (asked[place] ? answerOf(question, parts[place]) : null)) };
}

/** An answer as a person reads it, or "". @param {any} question @param {Part} part */
export function inWords(question, part) {
  if (part.isNone) return "None of these";
  const chosen = question.options.filter((option) => part.selected.includes(option.number));
  const other = ownText(question, part);
  const unit = question.unit ? ` ${question.unit}` : "";
  const own = other && (hasOptions(question) ? `“${other}”` : other + unit);
  return [...chosen.map(({ label, shown = label }) => shown), own].filter(Boolean).join(", ");
}

/** An answer's public JSON as a person reads it, a line each. @param {any} request @param {any} answer */
export function inLines({ questions = [] }, { discuss, choice, note, answers = [] }) {
  if (discuss) return [discuss];
  const given = choice ? [{ selected: [choice], other: note }] : answers;
  const part = (one) => ({ selected: [], other: "", ...one, isOther: Boolean(one.other), isNone: one.empty });
  const line = (question, one) => [inWords(question, part(one)), one.note && `note: ${oneLine(one.note)}`];
  return questions.map((question, place) => given[place] && line(question, given[place]).filter(Boolean).join(" · ")).filter(Boolean);
}

/** The texts that a person typed, which are shown when another device answered first. @param {Draft} draft */
export const typed = ({ prose, parts }) =>
  [prose, ...parts.flatMap(({ other, note, isProposed }) => [isProposed ? "" : other, note])].filter((text) =>
    text.trim(),
  );
