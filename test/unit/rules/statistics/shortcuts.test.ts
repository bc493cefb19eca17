import { describeShortcuts } from '../../../../data/card/figures';
import { listRightGuesses, ShortcutCounter } from '../../../../rules/statistics/shortcuts';
import { createRandom } from '../../../../rules/sampling/random';
import type { Instance, PriorInteraction } from '../../../../schemas/dataset/instance';
import { buildInstance, buildSession } from '../examples';

const TEXTS = {
  persona: '1+baker',
  request: 'Write to Ms. Oduya.',
  original: 'Keep it brief',
  changed: 'Add a table',
  contrastive: 'Be formal',
  other: 'Cite laws',
};

/** Builds the three instances of a persona with these preferences; with no sessions of another factor if `other` is empty. */
function buildPersona(changes: Partial<typeof TEXTS> = {}): Instance[] {
  const { persona, request, original, changed, contrastive, other } = { ...TEXTS, ...changes };
  const common = [buildSession('A', original), ...(other === '' ? [] : [buildSession('C', other)])];
  const row = (type: Instance['instance_type'], preference: string, own: PriorInteraction[]) =>
    buildInstance({
      persona_id: persona,
      instance_type: type,
      current_request: request,
      current_context_factor: 'A',
      current_contextual_preference: preference,
      prior_interactions: [...common, ...own],
    });
  return [
    row('consistent', original, []),
    row('contrastive', original, [buildSession('B', contrastive)]),
    row('changing', changed, [buildSession('A', changed)]),
  ];
}

function count(rows: readonly Instance[]) {
  const counter = new ShortcutCounter();
  for (const row of rows) counter.add(row);
  return counter.end();
}

test.each([
  ['the original preference is the longest', {}, { longest: 2 / 3, shortest: 0 }],
  [
    'the changed preference is the longest, and the original one the shortest',
    { original: 'Short', changed: 'A much longer one' },
    { longest: 1 / 3, shortest: 2 / 3 },
  ],
  ['the contrastive preference is the longest', { contrastive: 'A much longer one' }, { longest: 0 }],
  [
    'equal candidates count as a fraction',
    { original: 'Rhyme', other: 'Count', changed: 'Sum', contrastive: 'Bow' },
    { longest: 1 / 3, shortest: 1 / 6 },
  ],
  ['no option has words of the request', {}, { request: 1 / 4 }],
  ['the right options have words of the request', { request: 'Something brief.' }, { request: 2 / 3 }],
  ['another option has words of the request', { request: 'Look up laws.' }, { request: 0 }],
])('%s', (_case, changes, expected) => {
  const { guesses = {} } = count(buildPersona(changes));
  for (const [guess, share] of Object.entries(expected)) {
    expect(guesses).toHaveProperty(
      guess,
      expect.objectContaining({ share: expect.closeTo(share), total: 3 }),
    );
    expect(guesses).toHaveProperty(`${guess}.chance`, 1 / 4);
  }
});

test('intervals contain the shares of all seven guesses at once in 95 % of cases', () => {
  const { guesses = {} } = count(
    Array.from({ length: 20 }, (_, at) =>
      buildPersona({ persona: `${at}`, contrastive: 'A much longer one' }),
    ).flat(),
  );
  // None of 20 independent cases: z² / (20 + z²), where z is the quantile of 1 − 0.05 / 7 / 2.
  expect(guesses.longest).toMatchObject({ share: 0, interval: { low: 0, high: expect.closeTo(0.266, 3) } });
});

test('each choice has its right option in one position', () => {
  const { guesses = {} } = count(buildPersona());
  const shares = (['A', 'B', 'C', 'D'] as const).map((position) => guesses[position]?.share ?? NaN);
  expect(shares.toSorted((one, other) => one - other)).toEqual([0, 0, 1 / 3, 2 / 3]);
});

test('a choice between three options has a chance of a third, and no fourth position', () => {
  const { guesses = {} } = count(buildPersona({ other: '' }));
  expect(guesses.longest).toMatchObject({ chance: 1 / 3 });
  expect(guesses).not.toHaveProperty('D');
});

test('an instance whose persona shows one preference is no choice', () => {
  const [alone] = buildPersona({ persona: '2+guard', other: '' });
  const { guesses, withoutChoice, nearlyEqualOptions, unchangedPreference } = count([
    ...buildPersona(),
    ...(alone === undefined ? [] : [alone]),
  ]);
  expect(withoutChoice).toMatchObject({ count: 1, total: 4 });
  expect(nearlyEqualOptions).toMatchObject({ count: 0, total: 1 });
  expect(unchangedPreference).toMatchObject({ count: 0, total: 1 });
  expect(guesses?.longest).toMatchObject({ total: 3 });
});

test('personas with nearly equal options or without a change are named', () => {
  // Some have the two beside each other, others apart.
  const equal = ['1+equal', '4+equal', '5+equal', '6+equal'];
  const { nearlyEqualOptions, unchangedPreference } = count([
    ...equal.flatMap((persona) => buildPersona({ persona, other: 'Never add the table' })),
    ...buildPersona({ persona: '2+same', changed: ' keep it brief.' }),
    ...buildPersona({ persona: '3+sound' }),
  ]);
  expect(nearlyEqualOptions).toMatchObject({
    count: 4,
    total: 6,
    pairs: equal.map((persona_id) => ({ persona_id, preferences: expect.arrayContaining(['Add a table']) })),
  });
  expect(unchangedPreference).toMatchObject({ count: 1, total: 6, personas: ['2+same'] });
});

test.each([
  [0, 'Write.', ['longest', 'request', 'A']],
  [1, 'Write a haiku.', ['request', 'B']],
  [2, 'Write a haiku.', ['shortest', 'C']],
])('the guesses that find option %i after "%s" are %j', (right, request, guesses) => {
  const options = ['Name all of the laws', 'Add a haiku', 'Rhyme'].map((preference) => ({
    kind: 'other' as const,
    preference,
  }));
  expect(listRightGuesses(options, request, right).toSorted()).toEqual(guesses.toSorted());
});

/** Builds 100 personas whose preferences have random lengths. @param addition to the preferences that are right answers */
function buildMany(addition: string): Instance[] {
  return Array.from({ length: 100 }, (_, at) => {
    const random = createRandom(1, 'texts', `${at}`);
    const text = (name: string) => `${name} ${'x'.repeat(random.integer(40))}`;
    return buildPersona({
      persona: `${at}`,
      original: text('original') + addition,
      changed: text('changed') + addition,
      contrastive: text('contrastive'),
      other: text('other'),
    });
  }).flat();
}

test('a planted length shortcut is described, and fair data have none', () => {
  expect(describeShortcuts(count(buildMany('')))).toEqual([]);
  expect(describeShortcuts(count(buildMany(', always and everywhere')))).toEqual([
    expect.stringMatching(
      /^A model that always chooses the longest option is right in \d\d\.\d % of the choices \(95 %: \d\d\.\d–\d\d\.\d %; chance: 25\.0 %\)\.$/,
    ),
  ]);
});

test('the figures do not depend on the order of the instances', () => {
  const rows = buildMany('');
  expect(count(rows.toSorted((one, other) => one.instance_type.localeCompare(other.instance_type)))).toEqual(
    count(rows),
  );
});
