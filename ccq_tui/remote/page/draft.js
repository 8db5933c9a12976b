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
export const answersOf = (request, draft) => ({
  answers: request.questions.map((question, place) => answerOf(question, draft.parts[place])),
});

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
  const given = (request.questions ?? []).map((question, place) => inWords(question, draft.parts[place]));
  return given.filter(Boolean);
}

/** The texts that a person typed, which are shown when somebody else answered first. @param {Draft} draft */
export const typed = (draft) =>
  [draft.prose, draft.note, ...draft.parts.flatMap(({ other, note }) => [other, note])].filter((text) => text.trim());
