import { listPersonaQuestions } from '../../../../rules/method/verification-questions';
import { buildPersona, CHANGED, CONTRAST, ORIGINAL, REQUEST, session } from '../verification/persona';

const verified = buildPersona().map((instance) => ({ instance }));

test('what the instances of a persona share is asked once (paper, E: four tasks for each series of sessions)', () => {
  const { expressions, guesses, contradictions, uses } = listPersonaQuestions(verified);
  expect(expressions.map(({ preference, sessions }) => [preference, sessions.length])).toEqual([
    [ORIGINAL, 2],
    [CONTRAST, 1],
    [CHANGED, 1],
  ]);
  expect(guesses).toEqual([{ request: REQUEST, checklist: ['Is it short?', 'Is it long?', 'Is it full?'] }]);
  expect(contradictions.map(({ first, second }) => [first.preference, second.preference])).toEqual([
    [ORIGINAL, CONTRAST],
    [CHANGED, ORIGINAL],
  ]);
  expect(
    uses.map(({ preferences, contradiction }) => [
      preferences.map(({ role, question }) => [role, question]),
      contradiction,
    ]),
  ).toEqual([
    [[['current', 0]], undefined],
    [
      [
        ['current', 0],
        ['contrastive', 1],
      ],
      0,
    ],
    [
      [
        ['current', 2],
        ['original', 0],
      ],
      1,
    ],
  ]);
});

test('the other preference has the checklist of the record, else of the instance that has it, else itself as its only item', () => {
  const checklists = { [CONTRAST]: ['Is it long?', 'Is it formal?'] };
  const known = verified.map((one) => ({ ...one, checklists }));
  const listOthers = (persona: typeof verified) =>
    listPersonaQuestions(persona).contradictions.map(({ second }) => second.checklist);
  expect(listOthers(known)).toEqual([['Is it long?', 'Is it formal?'], ['Is it short?']]);
  expect(listOthers(verified)).toEqual([[CONTRAST], ['Is it short?']]);
});

test('an instance whose sessions are not those of the others is asked about by itself', () => {
  const [consistent, ...others] = buildPersona();
  if (consistent === undefined) throw new Error('There is no instance.');
  const [first, ...rest] = consistent.prior_interactions;
  const prior_interactions = [session('Oduya', ORIGINAL, 'Thanks.'), ...rest];
  expect(first).toBeDefined();
  const { expressions } = listPersonaQuestions(
    [{ ...consistent, prior_interactions }, ...others].map((instance) => ({ instance })),
  );
  expect(expressions.filter(({ preference }) => preference === ORIGINAL)).toHaveLength(2);
});

test('without the other instances of its persona, the contrastive factor of an instance is not known', () => {
  const [use] = listPersonaQuestions(verified.slice(1, 2)).uses;
  expect(use).toMatchObject({
    preferences: [{ role: 'current' }],
    problem: expect.stringContaining('several'),
  });
  expect(use).not.toHaveProperty('contradiction');
});
