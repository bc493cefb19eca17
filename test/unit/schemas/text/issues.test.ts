import * as z from 'zod';
import { describeIssues } from '../../../../schemas/text/issues';
import { labelledPairSchema } from '../../../../schemas/matching/labelled-pair';
import { modelEntrySchema } from '../../../../schemas/model/model-table';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { expectGolden, type TitledText } from '../../../golden';

const STEPS = z.object({ steps: synthesisSettingsSchema.shape.steps });
const CHECKED = '2026-01-01';

const WRONG: readonly (readonly [what: string, schema: z.ZodType, value: unknown])[] = [
  ['nothing in place of an object', z.record(z.string(), z.number()), null],
  ['a text in place of a number', STEPS, { steps: { user: { temperature: 'hot' } } }],
  ['a number out of range', STEPS, { steps: { user: { temperature: 3 } } }],
  ['zero', STEPS, { steps: { user: { maxRepairs: -1 } } }],
  ['a fraction', STEPS, { steps: { user: { maxRepairs: 0.5 } } }],
  ['an unknown key', STEPS, { steps: { usr: {} } }],
  ['an empty text', modelEntrySchema, { model: '', checked: CHECKED, source: 'me' }],
  ['no date', modelEntrySchema, { model: 'openai:x', checked: 'yesterday', source: 'me' }],
  [
    'a missing price',
    modelEntrySchema,
    { model: 'openai:x', checked: CHECKED, source: 'me', prices: { standard: { input: 1 } } },
  ],
  ['a label of no kind', labelledPairSchema, { preference: 'p', checklist: ['c'], labels: [['Covered']] }],
  ['an empty list', labelledPairSchema, { preference: 'p', checklist: [], labels: [] }],
  [
    "a rule's own words",
    labelledPairSchema,
    { preference: 'p', checklist: ['c', 'd'], labels: [['Fully Covered']] },
  ],
  ['a place in a list', z.array(z.object({ id: z.number() })), [{ id: 1 }, { id: 'x' }]],
];

test('a problem is described with its place, what is expected, and what was found', () => {
  const cases = WRONG.map(([what, schema, value]): TitledText => {
    const { error } = schema.safeParse(value);
    return [what, error === undefined ? 'accepted' : describeIssues('f', error, value)];
  });
  expectGolden('issues.txt', cases);
});

test('of many problems the first five are shown, and the others counted', () => {
  const value = Array.from({ length: 8 }, () => 'x');
  const { error } = z.array(z.number()).safeParse(value);
  const lines = error === undefined ? [] : describeIssues('f', error, value).split('\n');
  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toBe('f: 3 more problems like these.');
});
