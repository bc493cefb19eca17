import { countAnswers, countOpenDialogues, type PersonaProgress } from '../../../../engine/costs/run-answers';

const persona: PersonaProgress = {
  closed: false,
  factors: true,
  journeyParts: 1,
  checklists: 3,
  dialogues: [],
};
const open = { assistant: 2, user: 1, ended: false };
const ended = { assistant: 2, user: 2, ended: true };

test('a persona with an answered dialogue has all its dialogues open, but for those that have ended', () => {
  const personas = new Map([
    [1, { ...persona, closed: true, dialogues: [open, ended] }],
    [2, persona],
    [3, { ...persona, dialogues: [open, ended, ended] }],
    [4, { ...persona, dialogues: [open] }],
  ]);
  expect(countOpenDialogues({ descriptions: 1, personas }, 9)).toBe(6 + 8);
});

test('answers are those of every persona and of the messages of both sides', () => {
  const personas = new Map([
    [1, { ...persona, dialogues: [open, ended] }],
    [2, { ...persona, factors: false, journeyParts: 0, checklists: 0 }],
  ]);
  expect(countAnswers({ descriptions: 4, personas })).toBe(4 + (1 + 1 + 3) + (2 + 1) + (2 + 2));
});
