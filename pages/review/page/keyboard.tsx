import type { KeyMeanings } from '../../parts/keys';

/** The keys, as the help lists them. */
export const KEYS: KeyMeanings = [
  ['1, 2, 3', 'label the item: fully, in part, not at all; then go to the next question'],
  ['1 … 7', 'rate; then go to the next question'],
  ['j, k', 'next or previous question'],
  ['t', 'read the text; arrow keys scroll it'],
  ['Enter', 'save and continue'],
  ['?', 'these keys'],
];

/** Runs the action of a key, unless the rater is typing or reads the help. */
export function handleKey(event: KeyboardEvent, help: HTMLDialogElement | null): void {
  if (event.ctrlKey || event.metaKey || event.altKey || help?.open === true) return;
  const { activeElement: focused } = document;
  if (focused instanceof HTMLTextAreaElement || focused?.matches('input[type=text]') === true) return;
  const isAnswer = /^[1-7]$/.test(event.key);
  const act = isAnswer ? () => choose(Number(event.key)) : ACTIONS[event.key];
  if (act === undefined) return;
  event.preventDefault();
  // Each answer moves the focus on, so a key that is held would answer the next questions, too.
  if (isAnswer && event.repeat) return;
  act(help);
}

const ACTIONS: Readonly<Record<string, (help: HTMLDialogElement | null) => void>> = {
  j: () => focusQuestion(findCurrent() + 1),
  k: () => focusQuestion(findCurrent() - 1),
  t: () => document.querySelector<HTMLElement>('.task .judged')?.focus(),
  '?': (help) => help?.showModal(),
};

/** Lists the questions that can be answered: none while answers are being saved. */
function listQuestions(): HTMLFieldSetElement[] {
  return [...document.querySelectorAll<HTMLFieldSetElement>('.task form:not([inert]) fieldset')];
}

/** Returns the place of the question that has the focus; before the first one if none has it. */
function findCurrent(): number {
  return listQuestions().findIndex((question) => question.contains(document.activeElement));
}

/** Gives an answer, counted from 1, to the question that has the focus; without one, to the first question that is open, if any. */
function choose(number: number): void {
  const questions = listQuestions();
  const focused = findCurrent();
  const open = questions.findIndex((question) => question.querySelector('input:checked') === null);
  const at = focused < 0 ? open : focused;
  if (at < 0) return;
  const answer = questions[at]?.querySelectorAll('input')[number - 1];
  if (answer === undefined) return;
  answer.click();
  focusQuestion(at + 1);
}

/** Moves the focus to a question: to its answer, if it has one. Behind the last one is the button. */
function focusQuestion(at: number): void {
  const question = listQuestions()[Math.max(0, at)];
  const target =
    question?.querySelector<HTMLElement>('input:checked') ??
    question?.querySelector<HTMLElement>('input') ??
    document.querySelector<HTMLElement>('.task form button[type=submit]');
  target?.focus();
  question?.scrollIntoView({ block: 'nearest' });
}
