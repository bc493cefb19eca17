import { renderModel, renderModelTable } from '../../../../cli/operate/models';
import { describeModel, describeModels } from '../../../../engine/model-facts/known-model';
import type { ModelEntry } from '../../../../schemas/model/model-table';

const TABLE: readonly ModelEntry[] = [
  {
    model: 'openai:a*',
    checked: '2026-01-01',
    source: 'a page',
    temperature: 'rejected',
    tiers: ['flex'],
    reasoning: { efforts: ['low', 'high'], default: 'low', counts: true, allowance: 8192 },
  },
  {
    model: 'openai:a-1',
    checked: '2026-08-01',
    source: ['prices', 'dates'],
    prices: { standard: { input: 0.075, output: 1250, cachedRead: 0.01 }, flex: { input: 1, output: 2 } },
    retires: '2026-07-01',
    successor: 'a-2',
  },
  { model: 'openai:a-2', checked: '2026-08-01', source: 'dates', retires: '2026-09-01' },
  { model: 'gemini:b', checked: '2026-08-01', source: 'a page', seed: 'accepted' },
];

test('what is known of a model is printed with its sources, and what is unknown', () => {
  expect(renderModel(describeModel('openai:a-1', TABLE, '2026-08-09'))).toEqual([
    'openai:a-1',
    'Retired on 2026-07-01. Its provider recommends a-2.',
    '',
    '  temperature      rejected [1]',
    '  reasoning        effort low, high; default low; counts toward the token limit; 8,192 tokens added to the limit [1]',
    '  tiers            standard, flex [1]',
    '  prices           standard $0.075 in, $1,250.00 out, $0.01 cached read; flex $1.00 in, $2.00 out [2]',
    '  retirement date  2026-07-01 [2]',
    '  successor        a-2 [2]',
    '',
    'Unknown: seed, assistant first, system message, prompt caching, context window, batch price',
    '[1] old: checked on 2026-01-01, 220 days ago\n    a page',
    '[2] checked on 2026-08-01\n    prices\n    dates',
  ]);
});

test('a mistyped model is asked about, and facts of its family are named as such', () => {
  const table = [...TABLE, { model: 'openai:a-luna', checked: '2026-08-01', source: 'a page' }];
  expect(renderModel(describeModel('openai:a-lnua', table, '2026-08-09')).slice(0, 3)).toEqual([
    'openai:a-lnua',
    'No model of this name is known. Did you mean openai:a-luna?',
    'It has no entry of its own; these are facts of models whose names begin in the same way.',
  ]);
});

test('of a model without an entry nothing is known, and it can be used', () => {
  expect(renderModel(describeModel('openai:z', TABLE, '2026-08-09')).join('\n')).toContain(
    'Nothing is known about this model. It can be used;',
  );
});

test('the table of models marks those that retired or soon will, and old facts', () => {
  expect(renderModelTable(describeModels(TABLE, '2026-08-09'))).toEqual([
    'model   input     output           tiers         checked',
    '',
    'openai',
    '  a-1  $0.075  $1,250.00  standard, flex  old 2026-01-01',
    '    retired on 2026-07-01; successor a-2',
    '  a-2       –          –  standard, flex  old 2026-01-01',
    '    retires soon, on 2026-09-01',
    '',
    'gemini',
    '  b         –          –               –      2026-08-01',
    '',
    'Prices in US dollars per million tokens, in the standard tier.',
    'cupid models SPEC shows everything known about a model, with sources.',
    'Old: checked more than 180 days ago. Add newer facts with --models FILE.',
  ]);
});
