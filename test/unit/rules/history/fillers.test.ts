import {
  buildCandidate,
  drawFillers,
  type Exclusion,
  type FillerCandidate,
} from '../../../../rules/history/fillers';
import type { Instance, PriorInteraction } from '../../../../schemas/dataset/instance';
import { buildPersona } from './personas';

const REQUEST = 'Write me the plan of next week as a short table with three columns, please.';
const ROWS = buildPersona(1).map((row) => ({ ...row, current_request: REQUEST }));
const [SESSION] = buildPersona(2)[0]?.prior_interactions ?? [];
if (SESSION === undefined) throw new Error('The example persona has no session.');
const FOREIGN = SESSION;

test.each<
  [
    Exclusion | 'none',
    string,
    Partial<PriorInteraction> & { readonly personaId?: string; readonly tokens?: number },
  ]
>([
  ['none', 'nothing in common', {}],
  ['none', 'as long as a small part of the shortest history', { tokens: 4_000 }],
  ['length', 'more than a small part of the shortest history', { tokens: 4_001 }],
  ['occupation', 'another persona of the same occupation', { personaId: '12+trade_1' }],
  ['factor', 'the same factor', { context_factor: 'the Site1x3' }],
  ['factor', 'a factor that contains the name', { context_factor: 'Site1x3 on Mondays' }],
  ['factor', 'the name in a message', { dialogue: talk('I was at site1x3 today.') }],
  ['preference', 'the same preference', { contextual_preference: 'Rule1a3 rule1b3 rule1c3 counts' }],
  ['preference', 'it negated', { contextual_preference: 'Avoid what rule1a3 rule1b3 rule1c3 counts.' }],
  ['request', 'nearly the current request', { dialogue: talk(`${REQUEST} Now.`) }],
])(
  'a session is left out for its %s: %s',
  (exclusion, _, { personaId = '2+trade_2', tokens = 10, ...changes }) => {
    const candidate = buildCandidate(personaId, { ...FOREIGN, ...changes }, { row: 4, session: 1, tokens });
    const { fillers, excluded } = draw(ROWS, [[candidate]], 10_000);
    expect(fillers).toHaveLength(exclusion === 'none' ? 1 : 0);
    const counts = { length: 0, occupation: 0, factor: 0, preference: 0, request: 0 };
    expect(excluded).toEqual(exclusion === 'none' ? counts : { ...counts, [exclusion]: 1 });
  },
);

test('the sessions of the persona itself are never drawn, and every other one once', () => {
  const blocks = [1, 2, 3].map((id) => buildCandidates(id));
  const { fillers } = draw(ROWS, blocks, 1_000_000);
  const places = fillers.map(({ row, session }) => `${row}/${session}`);
  expect(places.toSorted()).toEqual(
    blocks
      .slice(1)
      .flatMap((block) => block.map(({ row, session }) => `${row}/${session}`))
      .toSorted(),
  );
});

test('a longer history begins with the fillers of a shorter one, drawn at once or later', () => {
  const blocks = [2, 3, 4, 5].map((id) => buildCandidates(id));
  const short = draw(ROWS, blocks, 55);
  expect(short.fillers).toHaveLength(6);
  const long = draw(ROWS, blocks, 200);
  expect(long.fillers.slice(0, 6)).toEqual(short.fillers);
  const grown = drawFillers(ROWS, blocks, { seed: 42, tokens: 200, earlier: short.fillers });
  expect(grown.fillers).toEqual(long.fillers);
});

test('personas and seeds have fillers of their own', () => {
  const blocks = [2, 3, 4, 5].map((id) => buildCandidates(id));
  const { fillers } = draw(ROWS, blocks, 100);
  expect(draw(ROWS, blocks, 100).fillers).toEqual(fillers);
  expect(drawFillers(ROWS, blocks, { seed: 43, tokens: 100, earlier: [] }).fillers).not.toEqual(fillers);
  expect(draw(buildPersona(6), blocks, 100).fillers).not.toEqual(fillers);
});

function draw(rows: readonly Instance[], blocks: readonly FillerCandidate[][], tokens: number) {
  return drawFillers(rows, blocks, { seed: 42, tokens, earlier: [] });
}

function buildCandidates(id: number): FillerCandidate[] {
  const [row] = buildPersona(id);
  return (row?.prior_interactions ?? []).map((session, at) =>
    buildCandidate(row?.persona_id ?? '', session, { row: id, session: at + 1, tokens: 10 }),
  );
}

function talk(content: string): PriorInteraction['dialogue'] {
  return [{ role: 'user', content }];
}
