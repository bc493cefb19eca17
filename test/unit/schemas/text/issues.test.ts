import * as z from 'zod';
import { describeIssues } from '../../../../schemas/text/issues';
import { labelledPairSchema } from '../../../../schemas/evaluation/labels';
import { modelEntrySchema } from '../../../../schemas/model/model-table';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';

const steps = z.object({ steps: synthesisSettingsSchema.shape.steps });

test.each<[string, z.ZodType, unknown, string]>([
  [
    'nothing in place of an object',
    z.record(z.string(), z.number()),
    null,
    'f: expected an object, found nothing.',
  ],
  [
    'a text in place of a number',
    steps,
    { steps: { user: { temperature: 'hot' } } },
    'f, field steps.user.temperature: expected a number or "default", found "hot".',
  ],
  [
    'a number out of range',
    steps,
    { steps: { user: { temperature: 3 } } },
    'f, field steps.user.temperature: expected a number of at most 2, found 3.',
  ],
  [
    'zero',
    steps,
    { steps: { user: { asks: 0 } } },
    'f, field steps.user.asks: expected a number more than 0, found 0.',
  ],
  [
    'a fraction',
    steps,
    { steps: { user: { asks: 1.5 } } },
    'f, field steps.user.asks: expected a whole number, found 1.5.',
  ],
  ['an unknown key', steps, { steps: { usr: {} } }, 'f, field steps: unknown key "usr".'],
  [
    'an empty text',
    modelEntrySchema,
    { model: '', checked: '2026-01-01', source: 'me' },
    'f, field model: expected a text that is not empty, found "".',
  ],
  [
    'no date',
    modelEntrySchema,
    { model: 'openai:x', checked: 'yesterday', source: 'me' },
    'f, field checked: expected a date such as 2025-07-31, found "yesterday".',
  ],
  [
    'a missing price',
    modelEntrySchema,
    { model: 'openai:x', checked: '2026-01-01', source: 'me', prices: { standard: { input: 1 } } },
    'f, field prices.standard.output: expected a number, found nothing.',
  ],
  [
    'a label of no kind',
    labelledPairSchema,
    { preference: 'p', checklist: ['c'], labels: [['Covered']] },
    'f, field labels[0][0]: expected one of "Fully Covered", "Partially Covered", "Not Covered", found "Covered".',
  ],
  [
    'an empty list',
    labelledPairSchema,
    { preference: 'p', checklist: [], labels: [] },
    'f, field checklist: expected a list of at least 1 entry, found [].',
  ],
  [
    "a rule's own words",
    labelledPairSchema,
    { preference: 'p', checklist: ['c', 'd'], labels: [['Fully Covered']] },
    "f, field labels: expected one list of all raters' labels for each checklist entry, found 1 list for 2 entries.",
  ],
  [
    'a place in a list',
    z.array(z.object({ id: z.number() })),
    [{ id: 1 }, { id: 'x' }],
    'f, field [1].id: expected a number, found "x".',
  ],
])('%s', (_, schema, value, text) => {
  const { error } = schema.safeParse(value);
  expect(error).toBeDefined();
  if (error !== undefined) expect(describeIssues('f', error, value)).toBe(text);
});

test('of many problems the first five are shown, and the others counted', () => {
  const value = Array.from({ length: 8 }, () => 'x');
  const { error } = z.array(z.number()).safeParse(value);
  const lines = error === undefined ? [] : describeIssues('f', error, value).split('\n');
  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toBe('f: 3 more problems like these.');
});
