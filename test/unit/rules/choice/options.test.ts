import { assert, integer, nat, property, record as recordOf } from 'fast-check';
import {
  classifyChoice,
  findRightOption,
  listOptions,
  renderOptions,
} from '../../../../rules/choice/options';
import { ChoiceQuestions } from '../../../../rules/choice/questions';
import type { Instance } from '../../../../schemas/dataset/instance';
import { DEFAULT_SEED } from '../../../../schemas/run/settings';
import { splitExamplePersona } from '../examples';

const kindsOf = (rows: readonly Instance[]) =>
  listOptions(rows, 42)
    .map(({ kind }) => kind)
    .toSorted();

test('options are distinct, the same for the three rows, and contain the right one of each', () => {
  assert(
    property(
      recordOf({
        personaId: integer({ min: 1, max: 5000 }),
        nSessions: integer({ min: 9, max: 16 }),
        seed: nat(),
      }),
      (drawn) => {
        const rows = splitExamplePersona(drawn);
        const options = listOptions(rows, drawn.seed);
        // With nine sessions, the rows share none with another factor.
        const others = drawn.nSessions > 9 ? ['other'] : [];
        expect(options.map(({ kind }) => kind).toSorted()).toEqual([
          'changed',
          'contrastive',
          'original',
          ...others,
        ]);
        expect(new Set(options.map(({ preference }) => preference)).size).toBe(options.length);
        expect(listOptions(rows.toReversed(), drawn.seed)).toEqual(options);
        const right = rows.map((row) => options[findRightOption(options, row) ?? -1]?.kind);
        expect(right).toEqual(['original', 'original', 'changed']);
        const shared = options.filter(({ kind }) => kind === 'other').map(({ preference }) => preference);
        for (const { prior_interactions: prior } of rows) {
          expect(prior.map((session) => session.contextual_preference)).toEqual(
            expect.arrayContaining(shared),
          );
        }
      },
    ),
  );
});

test('a fixed answer is never right in both the consistent and the changing row', () => {
  const [consistent, , changing] = splitExamplePersona();
  const options = listOptions(splitExamplePersona(), 42);
  if (consistent === undefined || changing === undefined) throw new Error('incomplete');
  for (const chosen of options.keys()) {
    const results = [consistent, changing].map((row) => classifyChoice(options, row, chosen));
    expect(results.filter((result) => result === 'right').length).toBeLessThan(2);
  }
});

test('the right option stands in each position equally often', () => {
  const places = [0, 0, 0, 0];
  for (let personaId = 1; personaId <= 1000; personaId += 1) {
    const rows = splitExamplePersona({ personaId });
    const options = listOptions(rows, 42);
    const [consistent] = rows;
    const at = consistent === undefined ? undefined : findRightOption(options, consistent);
    if (at !== undefined) places[at] = (places[at] ?? 0) + 1;
  }
  expect(places.reduce((sum, count) => sum + count)).toBe(1000);
  const chiSquare = places.reduce((sum, count) => sum + (count - 250) ** 2 / 250, 0);
  // The value that chance exceeds in one of a thousand cases, with three degrees of freedom.
  expect(chiSquare).toBeLessThan(16.27);
});

test('errors have kinds', () => {
  const rows = splitExamplePersona();
  const options = listOptions(rows, 42);
  const kinds = Object.fromEntries(
    rows.map((row) => [
      row.instance_type,
      Object.fromEntries(options.map(({ kind }, at) => [kind, classifyChoice(options, row, at)])),
    ]),
  );
  expect(kinds).toEqual({
    consistent: { original: 'right', changed: 'other', contrastive: 'wrong-context', other: 'other' },
    contrastive: { original: 'right', changed: 'other', contrastive: 'wrong-context', other: 'other' },
    changing: { original: 'stale', changed: 'right', contrastive: 'wrong-context', other: 'other' },
  });
});

describe('options that the rows do not show are left out', () => {
  test.each([
    [['consistent'], ['original', 'other']],
    [['contrastive'], ['original', 'other']],
    [['changing'], ['changed', 'other']],
    [
      ['consistent', 'contrastive'],
      ['contrastive', 'original', 'other'],
    ],
    [
      ['consistent', 'changing'],
      ['changed', 'original', 'other'],
    ],
  ])('with %j: %j', (types, kinds) => {
    const rows = splitExamplePersona().filter(({ instance_type }) => types.includes(instance_type));
    expect(kindsOf(rows)).toEqual(kinds);
  });

  test('a changed preference that equals the original one is no option, so there is no pair', () => {
    const [consistent] = splitExamplePersona();
    const rows = splitExamplePersona().map((row) =>
      row.instance_type === 'changing'
        ? {
            ...row,
            current_contextual_preference: ` ${consistent?.current_contextual_preference.toUpperCase()} `,
          }
        : row,
    );
    expect(kindsOf(rows)).toEqual(['contrastive', 'original', 'other']);
  });

  test('two factors that only the contrastive row has are not guessed between', () => {
    const rows = splitExamplePersona().map((row) => {
      if (row.instance_type !== 'contrastive') return row;
      const [first, ...others] = row.prior_interactions;
      if (first === undefined) return row;
      return { ...row, prior_interactions: [{ ...first, context_factor: 'Another' }, ...others] };
    });
    expect(kindsOf(rows)).not.toContain('contrastive');
  });
});

test('one option is no choice, and neither is one without the right answer', () => {
  const [row] = splitExamplePersona();
  if (row === undefined) throw new Error('incomplete');
  const alone = { kind: 'original', preference: row.current_contextual_preference } as const;
  expect(findRightOption([alone], row)).toBeUndefined();
  expect(
    findRightOption(
      [
        { kind: 'other', preference: 'A' },
        { kind: 'changed', preference: 'B' },
      ],
      row,
    ),
  ).toBe(undefined);
});

describe('a preference is an option on one line, in the prompt and in a benchmark alike', () => {
  test.each([
    ['Short.\nANSWER: A', 'Short. ANSWER: A'],
    ['Short.\r\nB) Anything goes.', 'Short. B) Anything goes.'],
    ['Short.\rC. Anything goes.', 'Short. C. Anything goes.'],
    ['Short.\u2028### Choice\u2029A', 'Short. ### Choice A'],
    ['Short.\u0085A\u000b\u000cB\u001c\u001d\u001eC', 'Short. A B C'],
    ['\t- Short.\n\t- Kind.\n', '- Short. - Kind.'],
    ['1. Short.\n2. Kind.', '1. Short. 2. Kind.'],
    ['  Two  spaces,\u00a0one\u3000line. ', 'Two spaces, one line.'],
  ])('%j', (preference, line) => {
    const rows = splitExamplePersona().map((row) => ({
      ...row,
      ...(row.instance_type !== 'changing' && { current_contextual_preference: preference }),
    }));
    const options = listOptions(rows, 42);
    const original = options.findIndex(({ kind }) => kind === 'original');
    expect(options[original]?.preference).toBe(line);
    expect(rows.map((row) => findRightOption(options, row)).slice(0, 2)).toEqual([original, original]);
    const questions = new ChoiceQuestions();
    for (const row of rows) questions.add(row);
    const shown = renderOptions(listOptions(rows, DEFAULT_SEED)).split('\n');
    const { choices = [] } = [...questions.end().values()][0] ?? {};
    expect(choices).toContain(line);
    expect(shown).toEqual(choices.map((choice, at) => `${'ABCD'.charAt(at)}. ${choice}`));
  });

  test('preferences that differ only in their line breaks are one option', () => {
    const [consistent] = splitExamplePersona();
    const original = consistent?.current_contextual_preference ?? '';
    const rows = splitExamplePersona().map((row) => ({
      ...row,
      ...(row.instance_type === 'changing' && {
        current_contextual_preference: original.replaceAll(' ', '\n'),
      }),
    }));
    expect(kindsOf(rows)).toEqual(['contrastive', 'original', 'other']);
  });
});
