import {
  drawCrossed,
  GENERAL_PREFERENCES,
  listStressCases,
  type StressRow,
} from '../../../../rules/analyses/stress-cases';
import type { StressKind } from '../../../../schemas/evaluation/stress';
import type { Instance } from '../../../../schemas/dataset/instance';
import { CHANGED, splitExamplePersona } from '../examples';
import { buildGeneration, buildInference, markMissing } from './rows';

const SEED = 42;

/** Returns the three rows of a persona, with a changed preference of its own. */
function splitPersona(personaId: number): Instance[] {
  return splitExamplePersona({ personaId, seed: SEED }).map((instance) =>
    instance.instance_type === 'changing'
      ? { ...instance, current_contextual_preference: `${CHANGED} As ${personaId} says.` }
      : instance,
  );
}

const PERSONAS = [1, 2, 3, 4].map(splitPersona);

function findRow(rows: readonly StressRow[] | undefined, type: string): StressRow {
  const row = rows?.find(({ instance_type: own }) => own === type);
  if (row === undefined) throw new Error(`no ${type} row`);
  return row;
}

describe('the cases of a matcher', () => {
  test('are the true preference, and wrong ones of which the truth is known', () => {
    const [rows, next] = PERSONAS;
    const [changing, contrastive] = [findRow(rows, 'changing'), findRow(rows, 'contrastive')];
    const cases = listStressCases(PERSONAS, 1, SEED);
    expect(cases.map(({ kind, preference }) => [kind, preference])).toEqual([
      ['true', changing.current_contextual_preference],
      ['original', contrastive.current_contextual_preference],
      ['contrastive', expect.any(String)],
      ['other-persona', findRow(next, 'changing').current_contextual_preference],
      ['general', expect.any(String)],
    ]);
    const byKind = new Map(cases.map((one) => [one.kind, one]));
    expect(GENERAL_PREFERENCES).toContain(byKind.get('general')?.preference);
    // Only the contrastive row has sessions with this preference.
    const hasIt = (row: StressRow) =>
      row.prior_interactions.some(
        (session) => session.contextual_preference === byKind.get('contrastive')?.preference,
      );
    expect(rows?.filter(hasIt).map(({ instance_type: type }) => type)).toEqual(['contrastive']);
    for (const { kind, checklist, persona_id } of cases) {
      expect(persona_id).toBe(changing.persona_id);
      expect(checklist).toBe((kind === 'contrastive' ? contrastive : changing).current_checklist);
    }
  });

  test('of more personas contain those of fewer', () => {
    const few = listStressCases(PERSONAS.slice(0, 3), 2, SEED);
    expect(listStressCases(PERSONAS, 3, SEED).slice(0, few.length)).toEqual(few);
  });

  test.each<[string, string[], StressKind[]]>([
    ['no changing row', ['consistent', 'contrastive'], ['true', 'contrastive', 'general']],
    ['the changing row only', ['changing'], ['true', 'other-persona', 'general']],
    ['no contrastive row', ['consistent', 'changing'], ['true', 'original', 'other-persona', 'general']],
  ])('leave out what the data lack: %s', (_, types, kinds) => {
    const personas = PERSONAS.map((rows) => rows.filter(({ instance_type: type }) => types.includes(type)));
    // Before the change, these personas have the same preference, which none can lend to another.
    const cases = listStressCases(personas, 1, SEED);
    expect(cases.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('have no wrong preference with the words of the true one', () => {
    const [rows = []] = PERSONAS;
    const { current_contextual_preference: original } = findRow(rows, 'consistent');
    const same = rows.map((row) => ({ ...row, current_contextual_preference: ` ${original.toUpperCase()}` }));
    const kinds = listStressCases([same], 1, SEED).map(({ kind }) => kind);
    expect(kinds).toEqual(['true', 'contrastive', 'general']);
    // A persona with the same preference lends nothing, so the next one does.
    const [, , third] = PERSONAS;
    const other = listStressCases([same, same, third ?? []], 1, SEED).find(
      ({ kind }) => kind === 'other-persona',
    );
    expect(other?.preference).toBe(findRow(third, 'changing').current_contextual_preference);
  });
});

function given(instance_type: Instance['instance_type'], context: 'full' | 'none' | 'preference') {
  return buildGeneration(7, { instance_type, context });
}

describe('a response that is judged on the other row', () => {
  const [rows = []] = PERSONAS;
  test('was written for the preference of its own: from the history only of the consistent row', () => {
    const drawn = drawCrossed(
      rows,
      [given('changing', 'full'), given('contrastive', 'full'), given('consistent', 'full')],
      SEED,
    );
    expect(drawn).toMatchObject({ response: { instance_type: 'consistent' }, on: 'changing' });
  });

  test('is of either row if the preference was its input, which goes first', () => {
    const informed = [given('changing', 'preference'), given('consistent', 'preference')];
    const drawn = Array.from({ length: 20 }, (_, seed) =>
      drawCrossed(rows, [...informed, given('contrastive', 'preference'), given('consistent', 'full')], seed),
    );
    expect(
      new Set(drawn.map((one) => `${one?.response.context} ${one?.response.instance_type} ${one?.on}`)),
    ).toEqual(new Set(['preference consistent changing', 'preference changing consistent']));
  });

  test('does not depend on the order of the rows', () => {
    const responses = ['a', 'b', 'c'].map((model) => ({ ...given('consistent', 'full'), model }));
    expect(drawCrossed(rows, responses.toReversed(), SEED)).toEqual(drawCrossed(rows, responses, SEED));
  });

  const full = [given('consistent', 'full')];
  test.each<[string, StressRow[], Parameters<typeof drawCrossed>[1]]>([
    ['a response', rows, []],
    ['a scored one', rows, full.map(markMissing)],
    ['one that was written with a preference', rows, [given('consistent', 'none')]],
    ['one for this preference', rows, [given('contrastive', 'full'), given('changing', 'full')]],
    ['a response, only an inference', rows, [buildInference()]],
    ['the other row', rows.filter(({ instance_type: type }) => type !== 'changing'), full],
    [
      'the same request',
      rows.map((row) => (row.instance_type === 'changing' ? { ...row, current_request: 'Else?' } : row)),
      full,
    ],
    ['another preference', rows.map((row) => ({ ...row, current_contextual_preference: 'Same.' })), full],
  ])('does not exist without %s', (_, persona, responses) => {
    expect(drawCrossed(persona, responses, SEED)).toBeUndefined();
  });
});
