/**
 * What a person has entered for a request, and the answer that it makes. Nothing is chosen before a person does it.
 *
 * @typedef {object} Part What was entered for one question.
 * @property {number[]} selected Numbers of options.
 * @property {boolean} isOther Whether the text of one's own is selected.
 * @property {string} other
 * @property {string} note
 * @property {boolean} isNone Whether nothing of a multi-select is the answer, on purpose.
 *
 * @typedef {{parts: Part[], page: number, isDiscussing: boolean, prose: string, choice: number, note: string}} Draft
 */

import { oneLine } from "./text.js";

/** @param {any} request @returns {Draft} */
export function newDraft(request) {
  const parts = (request.questions ?? []).map(() => ({
    selected: [],
    isOther: false,
    other: "",
    note: "",
    isNone: false,
  }));
  return { parts, page: 0, isDiscussing: false, prose: "", choice: 0, note: "" };
}

/** Whether a kept draft belongs to a request. @param {any} draft @param {any} request */
export const fits = (draft, request) =>
  Array.isArray(draft?.parts) &&
  draft.parts.length === (request.questions?.length ?? 0) &&
  typeof draft.page === "number";

/** Whether nothing was entered. @param {Draft | null} draft */
export const isBlank = (draft) =>
  !draft ||
  (!draft.choice && typed(draft).length === 0 && draft.parts.every((part) => !part.selected.length && !part.isNone));

/** Whether a question lists options; one without is answered in words. @param {any} question */
export const hasOptions = (question) => question.options.length > 0;

/** The text that is part of the answer. @param {any} question @param {Part} part */
export const ownText = (question, part) =>
  !hasOptions(question) || part.isOther ? part.other.trim() && part.other : "";

/** @param {any} question @param {Part} part */
export const isGiven = (question, part) => part.selected.length > 0 || Boolean(ownText(question, part)) || part.isNone;

/**
 * Whether each question is asked, given the answers before it; the answer to one that is not counts as none.
 * @param {any[]} questions @param {Part[]} parts
 */
export function areAsked(questions, parts) {
  const given = [];
  return questions.map((question, place) => {
    const isAsked = !question.when || holds(question.when, given[question.when.question - 1]);
    const counts = isAsked && !problem(question, parts[place]);
    given.push(counts ? answerParts(question, parts[place]) : { labels: [], own: "" });
    return isAsked;
  });
}

/** @param {any} when @param {{labels: string[], own: string}} answer */
function holds({ equals, contains }, { labels, own }) {
  if (equals === undefined) return labels.includes(contains) || Boolean(own && own.includes(contains));
  const all = own ? [...labels, own] : labels;
  return all.length === 1 && all[0] === equals;
}

/** @param {any} question @param {Part} part */
const answerParts = (question, part) => ({
  labels: question.options.filter(({ number }) => part.selected.includes(number)).map(({ label }) => label),
  own: (ownText(question, part) || "").trim(),
});

/** What is wrong with an entry, or "". @param {any} question @param {Part} part */
export function problem(question, part) {
  const text = ownText(question, part);
  if (question.kind !== "number" || !text) return "";
  const value = Number(text.trim());
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return "Not a number. Type one such as 5.";
  const { minimum, maximum, step } = question;
  if ((minimum !== null && value < minimum) || (maximum !== null && value > maximum))
    return `Out of range: ${allowed(question)}.`;
  const steps = step ? (value - (minimum ?? 0)) / step : 0;
  return Math.abs(steps - Math.round(steps)) > 1e-6 ? `It goes in steps of ${step}.` : "";
}

/** The numbers that a question allows, in words. @param {any} question */
export function allowed({ minimum = null, maximum = null, unit }) {
  const words =
    minimum !== null && maximum !== null
      ? `${minimum} to ${maximum}`
      : minimum !== null
        ? `at least ${minimum}`
        : maximum !== null
          ? `at most ${maximum}`
          : "";
  return `${words} ${oneLine(unit, 30)}`.trim();
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
export function answersOf({ questions }, { parts }) {
  const asked = areAsked(questions, parts);
  return { answers: questions.map((question, place) => (asked[place] ? answerOf(question, parts[place]) : null)) };
}

/** The label of an option without its mark. @param {any} option */
export const labelOf = (option) =>
  (option.recommended && option.label.replace(/\s*\(Recommended\)\s*$/, "")) || option.label;

/** An answer as a person reads it, or "". @param {any} question @param {Part} part */
export function inWords(question, part) {
  if (part.isNone) return "None of these";
  const labels = question.options.filter((option) => part.selected.includes(option.number)).map(labelOf);
  const other = ownText(question, part);
  const unit = question.kind === "number" && question.unit ? ` ${question.unit}` : "";
  return [...labels, ...(other ? [hasOptions(question) ? `“${other}”` : other + unit] : [])].join(", ");
}

/** What was answered, a line each. @param {any} request @param {Draft} draft */
export function inLines(request, draft) {
  if (draft.isDiscussing) return [draft.prose];
  const choice = request.choices?.find((one) => one.number === draft.choice);
  if (choice) return [choice.label, choice.takes_note ? draft.note : ""].filter(Boolean);
  const questions = request.questions ?? [];
  const asked = areAsked(questions, draft.parts);
  return questions.map((question, place) => asked[place] && inWords(question, draft.parts[place])).filter(Boolean);
}

/** The texts that a person typed, which are shown when somebody else answered first. @param {Draft} draft */
export const typed = (draft) =>
  [draft.prose, draft.note, ...draft.parts.flatMap(({ other, note }) => [other, note])].filter((text) => text.trim());
