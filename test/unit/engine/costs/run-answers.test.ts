import { countOpenDialogues, type PersonaProgress } from '../../../../engine/costs/run-answers';

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
