import { array, assert, constantFrom, integer, nat, property, record, uniqueArray } from 'fast-check';
import { computeLength, extendHistory, mergeInOrder, takeFillers } from '../../../../rules/history/build';
import type { PriorInteraction } from '../../../../schemas/dataset/instance';
import { OutdatedPlan } from '../../../../schemas/run/outdated-plan';
import { buildPersona } from './personas';

test('rows keep the order of their sessions, have the fillers in one order, and nothing else', () => {
  assert(
    property(
      record({ nSessions: integer({ min: 9, max: 16 }), seed: nat(), nFillers: nat(60) }),
      ({ nSessions, seed, nFillers }) => {
        const rows = buildPersona(1, seed, nSessions);
        const fillers = buildFillers(nFillers);
        const histories = rows.map((row) => extendHistory(row, { rows, fillers, seed }));
        for (const [at, history] of histories.entries()) {
          expect(history.filter((session) => !fillers.includes(session))).toEqual(
            rows[at]?.prior_interactions,
          );
          expect(history.filter((session) => fillers.includes(session))).toEqual(
            histories[0]?.filter((session) => fillers.includes(session)),
          );
        }
      },
    ),
  );
});

test('a shorter history is a longer one without its last fillers', () => {
  assert(
    property(record({ seed: nat(), nFillers: nat(40), nMore: nat(40) }), ({ seed, nFillers, nMore }) => {
      const rows = buildPersona(1, seed);
      const fillers = buildFillers(nFillers + nMore);
      const more = fillers.slice(nFillers);
      for (const row of rows) {
        const long = extendHistory(row, { rows, fillers, seed });
        const short = extendHistory(row, { rows, fillers: fillers.slice(0, nFillers), seed });
        expect(long.filter((session) => !more.includes(session))).toEqual(short);
      }
    }),
  );
});

test('a session that several rows have stands between the same fillers in each', () => {
  const rows = buildPersona(1);
  const fillers = buildFillers(200);
  const places = rows.map((row) => {
    const history = extendHistory(row, { rows, fillers, seed: 42 });
    let before = 0;
    return new Map(
      history.flatMap((session) => {
        if (fillers.includes(session)) {
          before += 1;
          return [];
        }
        return [[JSON.stringify(session.dialogue), before] as const];
      }),
    );
  });
  const [first, ...others] = places;
  let shared = 0;
  for (const place of others) {
    for (const [session, before] of place) {
      if (first?.has(session) !== true) continue;
      shared += 1;
      expect(before).toBe(first.get(session));
    }
  }
  expect(shared).toBeGreaterThan(4);
});

test('fillers lie everywhere between the own sessions', () => {
  const rows = buildPersona(1);
  const [row] = rows;
  if (row === undefined) throw new Error('no row');
  const fillers = buildFillers(1000);
  const history = extendHistory(row, { rows, fillers, seed: 42 });
  const tenths = Array.from({ length: 10 }, (_, tenth) =>
    history.slice(tenth * 100, tenth * 100 + 100).filter((session) => !fillers.includes(session)),
  );
  expect(Math.max(...tenths.map((sessions) => sessions.length))).toBeLessThanOrEqual(2);
});

test('a merged list contains each list in its order', () => {
  const lists = array(uniqueArray(constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')), { maxLength: 4 });
  assert(
    property(lists, (drawnLists) => {
      const merged = mergeInOrder(drawnLists);
      for (const list of drawnLists) {
        let next = 0;
        for (const item of list) next = merged.indexOf(item, next) + 1 || Number.NaN;
        expect(next).not.toBeNaN();
      }
    }),
  );
});

test('what the lists share is there once', () => {
  expect(
    mergeInOrder([
      ['a', 'c'],
      ['a', 'b', 'c'],
      ['b', 'c', 'd'],
    ]),
  ).toEqual(['a', 'b', 'c', 'd']);
});

test('as many fillers are taken as fit into the longest row', () => {
  const fillers = Array.from({ length: 40 }, (_, at) => ({ row: at + 1, session: 1, tokens: 1_000 }));
  const take = (tokens: number) =>
    takeFillers(
      fillers,
      [
        { tokens: 100, sessions: 1 },
        { tokens, sessions: 8 },
      ],
      '32k',
    );
  expect(take(9_000)).toHaveLength(23);
  expect(take(9_001)).toHaveLength(22);
  expect(take(40_000)).toHaveLength(0);
  expect(() => takeFillers(fillers, [{ tokens: 9_000, sessions: 8 }], '128k')).toThrow(OutdatedPlan);
  expect(takeFillers(fillers, [{ tokens: 9_000, sessions: 976 }], '32k')).toHaveLength(23);
  expect(takeFillers(fillers, [{ tokens: 9_000, sessions: 977 }], '32k')).toHaveLength(22);
});

test('a session number above 999 takes one token more', () => {
  const fillers = [1, 2, 3].map((session) => ({ row: 1, session, tokens: 100 }));
  expect(computeLength({ tokens: 10, sessions: 996 }, fillers)).toBe(310);
  expect(computeLength({ tokens: 10, sessions: 998 }, fillers)).toBe(312);
});

function buildFillers(count: number): PriorInteraction[] {
  return Array.from({ length: count }, (_, at) => ({
    context_factor: `Elsewhere ${at}`,
    contextual_preference: `Other ${at}`,
    dialogue: [{ role: 'user', content: `Filler ${at}` }],
  }));
}
