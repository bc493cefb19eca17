import { parse } from 'yaml';
import * as z from 'zod';
import { renderCard, renderImportedCard } from '../../../../data/card/render';
import { readCard } from '../../../../data/card/read';
import { ShareCounter } from '../../../../rules/statistics/share';
import type { DataStatistics } from '../../../../schemas/dataset/data-statistics';
import { expectGolden, renderChangedLines, type TitledText } from '../../../golden';
import { buildCardFacts, type CardChanges } from './card-facts';

const CARD = renderCard(buildCardFacts());

function frontMatter(card: string): Record<string, unknown> {
  const [, front] = card.split('---\n');
  return z.record(z.string(), z.unknown()).parse(parse(front ?? ''));
}

function licenseOf(changes: CardChanges): unknown {
  return frontMatter(renderCard(buildCardFacts(changes)))['license'];
}

/** Returns the first line for people. */
function firstLine(card: string): string | undefined {
  return card
    .slice(card.indexOf('\n---\n') + 5)
    .split('\n')
    .find((line) => line !== '');
}

const SHARE = { share: 0.025, count: 3, total: 120, interval: { low: 0.008, high: 0.0714 } };

const STATISTICS: DataStatistics = {
  personas: 1200,
  instances: 3600,
  preferences: 9000,
  preferenceTokens: 17.25,
  checklistItems: 2.904,
  dialogues: 14_400,
  unsatisfiedDialogues: 3,
  userMessages: 6.5,
  messages: 12.501,
  dialogueTokens: 900,
  priorTokens: 7999.96,
  factorTypes: [
    { type: 'Event/Time', count: 3, share: 0.75 },
    { type: 'a | b', count: 1, share: 0.25 },
  ],
  preferenceTypes: [{ type: 'Tone', count: 4, share: 1 }],
  taskTypes: [{ type: 'Planning', count: 8, share: 1 }],
  tokenizer: 'o200k_base',
};

const FIGURES: CardChanges['figures'] = {
  leakage: SHARE,
  preferenceInRequest: { mean: 0.031, maximum: 0.5 },
  unsatisfiedDialogues: SHARE,
  relevantPositions: {
    consistent: { mean: 3.24, instances: 40 },
    changing: { mean: 6, instances: 40 },
  },
  distinct2: { mean: 0.7123, interval: { low: 0.7, high: 0.72 }, blocks: 10 },
  compressionRatio: { mean: 2.84, blocks: 1 },
  entropy: { factorTypes: 0.988, preferenceTypes: 0.9, taskTypes: 1 },
};

const GUESS = { share: 0.45, total: 756, interval: { low: 0.4, high: 0.5 }, chance: 0.25 };
const WEAK = { share: 0.5, count: 1, total: 2, interval: { low: 0.01, high: 0.99 } };
const WEAK_FIGURES: CardChanges['figures'] = {
  relevantPositions: {},
  guesses: { longest: GUESS, shortest: { ...GUESS, interval: { low: 0.25, high: 0.65 } } },
  unchangedPreference: { ...WEAK, personas: ['7+a|`b'] },
  nearlyEqualOptions: { ...WEAK, pairs: [{ persona_id: '8+c', preferences: ['One', 'Other'] }] },
};

const COST = {
  calls: 1300,
  bad: 12,
  separated: 0,
  trimmed: 0,
  input: 1_000_000,
  output: 50_000.4,
  estimated: 0,
};
const COSTS = {
  pricesCheckedOn: '2025-07-31',
  usd: 3.004,
  rows: [
    { part: 'synthesis', model: 'openai:gpt-4o', ...COST, usd: 3 },
    { part: 'user', model: 'openai:gpt-4o', ...COST, separated: 412, trimmed: 3, usd: 0.004 },
  ],
} as const;
const UNKNOWN_COSTS = {
  pricesCheckedOn: '2025-07-31',
  usd: undefined,
  rows: [{ part: 'assistant', model: 'openai-compatible:llama', ...COST, estimated: 1300, usd: undefined }],
} as const;

const TAXONOMY = {
  factor_types: ['Person', 'Place'],
  task_types: ['Drafting', 'Checking'],
  preference_types: ['Voice', 'Depth'],
};
const PERSONAS = { origin: 'personas', count: 3 } as const;

const CHANGES: readonly (readonly [what: string, changes: CardChanges])[] = [
  ['all figures', { statistics: STATISTICS, figures: FIGURES, costs: COSTS }],
  ['figures of weak data', { figures: WEAK_FIGURES }],
  ['costs that are unknown or estimated', { costs: UNKNOWN_COSTS }],
  ['simulated data', { simulated: true }],
  ['no canary', { canary: undefined }],
  ['seeds of PersonaHub', { seeds: { origin: 'personahub', count: 1 } }],
  [
    'seeds of PersonaHub under another license',
    { seeds: { origin: 'personahub', count: 1 }, license: 'cc0-1.0' },
  ],
  [
    'personas of simulated data',
    { seeds: { ...PERSONAS, simulated: true, license: 'odc-by' }, simulated: true },
  ],
  ['personas under an unknown license', { seeds: { ...PERSONAS, license: 'unknown' } }],
  ['a custom taxonomy', { settings: { ...buildCardFacts().settings, taxonomy: TAXONOMY } }],
  ['long journeys', { settings: { ...buildCardFacts().settings, nSessions: 60 } }],
  ['two versions of the code', { codeVersions: ['0.1.0', '0.2.0'] }],
  ['an opening message', { opening: 'Please begin.' }],
];

test('a card says how the data were made, in what form, of what quality, and whom to cite', () => {
  expectGolden('card.md', CARD);
});

test('other facts change these lines of it', () => {
  const parts = CHANGES.map(([what, changes]): TitledText => [
    what,
    renderChangedLines(CARD, renderCard(buildCardFacts(changes))),
  ]);
  expectGolden('card-changes.txt', parts);
});

test('of imported data nothing is made up: license, models and costs are shown as unknown', () => {
  const card = renderImportedCard(buildCardFacts());
  expectGolden('card-imported.txt', [['an import', renderChangedLines(CARD, card)]]);
});

test.each([
  ['of a run', (simulated: boolean) => renderCard(buildCardFacts({ simulated }))],
  ['of an import', (simulated: boolean) => renderImportedCard(buildCardFacts({ simulated }))],
])(
  'the card %s says in its first line, its tags and its limits that data are simulated, and never otherwise',
  (_what, render) => {
    const simulated = render(true);
    expect(firstLine(simulated)).toMatch(/^\*\*Simulated data: /);
    expect(simulated).toContain('- Simulated: the texts');
    expect(readCard(simulated)).toMatchObject({ simulated: true });
    expect(frontMatter(simulated)['tags']).toContain('simulated');
    const written = render(false);
    expect(firstLine(written)).toBe('# CUPID-Unverified');
    expect(written).toContain('Synthetic data, generated by language models');
    expect(frontMatter(written)['tags']).not.toContain('simulated');
    expect(written).not.toMatch(/Simulated/);
  },
);

test.each([
  ['of a run', renderCard],
  ['of an import', renderImportedCard],
])('the card %s asks not to train on the data, with the canary, if there is one', (_what, render) => {
  const facts = buildCardFacts();
  expect(render(facts)).toMatch(
    /^This is a benchmark\. Please do not train .* canary GUID 0f1e2d3c-[-\da-f]+$/m,
  );
  expect(readCard(render(facts))).toMatchObject({ canary: facts.canary });
  expect(readCard(render({ ...facts, canary: undefined })).canary).toBeUndefined();
});

test("only the cards of this program's own runs are tagged as its own", () => {
  expect(readCard(renderCard(buildCardFacts()))).toMatchObject({ ours: true });
  expect(readCard(renderImportedCard(buildCardFacts()))).toMatchObject({ ours: false });
});

test("the license follows the seeds: PersonaHub's bind, others do not, the user's own word goes first", () => {
  expect(licenseOf({ seeds: { origin: 'personahub', count: 1 } })).toBe('cc-by-nc-sa-4.0');
  expect(licenseOf({ seeds: { origin: 'built-in', count: 1 } })).toBe('cc-by-4.0');
  expect(licenseOf({ seeds: { origin: 'file', count: 1 } })).toBe('cc-by-4.0');
  expect(licenseOf({ seeds: { origin: 'personahub', count: 1 }, license: 'cc0-1.0' })).toBe('cc0-1.0');
  expect(licenseOf({ seeds: { origin: 'personas', count: 1, license: 'odc-by' } })).toBe('odc-by');
});

test.each([
  [0, 'n<1K'],
  [999, 'n<1K'],
  [1000, '1K<n<10K'],
  [9999, '1K<n<10K'],
  [10_000, '10K<n<100K'],
  [100_000, '100K<n<1M'],
  [1_000_000, '1M<n<10M'],
])('%i rows are of the size %s', (rows, size) => {
  const files = { path: 'test.parquet', rows, bytes: 1, memoryBytes: 1 };
  expect(frontMatter(renderCard(buildCardFacts({ files })))['size_categories']).toEqual([size]);
});

test('explains why nothing found among many dialogues of few personas has a high upper bound', () => {
  const counter = new ShareCounter();
  for (let persona = 1; persona <= 8; persona += 1) counter.add(`${persona}+teacher`, 0, 12);
  const unsatisfiedDialogues = counter.end();
  const card = renderCard(buildCardFacts({ figures: { relevantPositions: {}, unsatisfiedDialogues } }));
  expect(card).toContain('| 0.0 % (0.0–32.4 %) | 0 of 96 dialogues |');
  expect(card).toContain('with none in 8 personas, the true share may be up to 32 %');
});

test('every column has a meaning', () => {
  for (const dataSet of ['CUPID-Unverified', 'CUPID-Raw'] as const) {
    const rows = renderCard(buildCardFacts({ dataSet }))
      .split('## Columns\n')[1]
      ?.split('\n## ')[0]
      ?.match(/^\| `.*$/gm);
    expect(rows).toHaveLength(dataSet === 'CUPID-Raw' ? 5 : 7);
    for (const row of rows ?? []) expect(row).toMatch(/^\| `\w+` \| [^|]+ \| [^|]{10,} \|$/);
  }
});

test("an endpoint's address stays out", () => {
  expect(CARD).not.toMatch(/inside\.example/);
});
