import { checkJourney } from '../../../../../rules/answers/synthesis/journey';
import { drawStructure } from '../../../../../rules/journey/structure';
import type { SessionRole } from '../../../../../schemas/dataset/session';
import {
  CHANGED,
  pickCyclic,
  buildExampleFactors,
  buildExampleSessions,
  renderFencedYaml,
  getReason,
  getValue,
} from '../../examples';

const FACTORS = buildExampleFactors(8);
const STRUCTURE: SessionRole[] = [
  'free',
  'A',
  'B',
  'free',
  'A',
  "A'",
  'free',
  'free',
  'B',
  "A'",
  'free',
  'free',
  "A'",
];
type JourneyPlan = Parameters<typeof checkJourney>[1];
const PLAN: JourneyPlan = { structure: STRUCTURE, factors: FACTORS, quality: 'reference' };
const SESSIONS = buildExampleSessions(STRUCTURE, FACTORS);

/** Checks an answer with these sessions. */
const check = (scenarios: readonly unknown[], plan: Partial<JourneyPlan> = {}) =>
  checkJourney(renderFencedYaml({ scenarios }), { ...PLAN, ...plan });

/** Writes the answer with some fields of its sessions replaced, by their number from 1. */
function answer(changes: Record<number, Record<string, unknown>> = {}): string {
  return renderFencedYaml({
    scenarios: SESSIONS.map((session, index) => ({ ...session, ...changes[index + 1] })),
  });
}

test('journeys that obey their structure are taken as they are, whatever structure was drawn', () => {
  for (const nSessions of [9, 12, 13, 15]) {
    for (const nFactors of [3, 5, 8]) {
      for (const personaId of [1, 2, 3, 4, 5]) {
        const structure = drawStructure({ nSessions, seed: 42, personaId });
        const factors = buildExampleFactors(nFactors);
        const sessions = buildExampleSessions(structure, factors);
        expect(getValue(check(sessions, { structure, factors }))).toEqual({ sessions });
      }
    }
  }
});

test('the model chooses which of the pair is A: the last session shows it', () => {
  const factors = FACTORS.toSpliced(6, 2, ...FACTORS.slice(6).toReversed());
  const journey = getValue(check(buildExampleSessions(STRUCTURE, factors)));
  expect(journey.sessions.at(-1)?.context_factor).toBe('Workshop 7');
});

test('spaces and a final full stop do not count, and come back spelled like the factor list', () => {
  const text = answer({
    2: { context_factor: ' Workshop 8. ', preference: 'Answers must name exactly 9 sources' },
    3: { preference: ' Answers must name exactly 8 sources. ' },
    10: { preference: 'Answers must rest on no source at all' },
    13: { context_factor: 'Workshop 8.', preference: `${CHANGED} ` },
  });
  expect(getValue(checkJourney(text, PLAN)).sessions).toEqual(SESSIONS);
});

test('the shape of quotation marks and dashes does not count, and comes back spelled like the factor list', () => {
  const factors = FACTORS.map((factor) => ({
    ...factor,
    factor: factor.factor.replace('Workshop 8', 'Kaito’s “Pier–8” Workshop'),
    preference: factor.preference.replace('exactly', 'non‑stop'),
  }));
  const sessions = buildExampleSessions(STRUCTURE, factors);
  const scenarios = sessions.map((session) => ({
    ...session,
    context_factor: session.context_factor.replaceAll(/[’]/g, "'").replaceAll(/[“”]/g, '"').replace('–', '-'),
    preference: session.preference.replace('‑', '-'),
  }));
  expect(scenarios).not.toEqual(sessions);
  expect(getValue(check(scenarios, { factors })).sessions).toEqual(sessions);
});

test.each([undefined, '', 'null', '~', 'N/A', 'None'])('a resource given as %j is absent', (resource) => {
  const [session] = getValue(checkJourney(answer({ 1: { resource } }), PLAN)).sessions;
  expect(session).toEqual(SESSIONS[0]);
  expect(session).not.toHaveProperty('resource');
});

test('ids may be written as numbers or as texts, and the list may be bare', () => {
  const scenarios = SESSIONS.map((session) => ({ ...session, id: String(session.id) }));
  expect(getValue(checkJourney(renderFencedYaml(scenarios), PLAN)).sessions).toEqual(SESSIONS);
});

test.each<[session: number, change: Record<string, unknown>, reason: RegExp]>([
  // Ids.
  [4, { id: 5 }, /^id must be 4, .* not 5\.$/],
  [4, { id: 'four' }, /^id must be a whole number, not "four"\.$/],
  [4, { id: undefined }, /^id is missing\.$/],
  // Places.
  [
    1,
    { context_factor: 'Workshop 9' },
    /^context_factor "Workshop 9" is not one of "Workshop 1", .*"Workshop 6", spelled exactly so\.$/,
  ],
  [1, { context_factor: 'workshop 1' }, /^context_factor "workshop 1" is not one of/],
  [1, { context_factor: 'Workshop 8' }, /^context_factor "Workshop 8" belongs to the contrastive pair/],
  [12, { context_factor: 'Workshop 7' }, /^context_factor "Workshop 7" belongs to the contrastive pair/],
  [3, { context_factor: 'Workshop 1' }, /^context_factor must be "Workshop 7" here \(factor B/],
  [9, { context_factor: 'Workshop 8' }, /^context_factor must be "Workshop 7" here \(factor B/],
  [5, { context_factor: 'Workshop 7' }, /^context_factor must be "Workshop 8" here \(factor A/],
  [10, { context_factor: 'Workshop 1' }, /^context_factor must be "Workshop 8" here \(factor A/],
  [
    13,
    { context_factor: 'Workshop 1' },
    /^context_factor "Workshop 1" is not factor A, which must be one of "Workshop 7", "Workshop 8"/,
  ],
  [13, { context_factor: 'Elsewhere' }, /^context_factor "Elsewhere" is not factor A/],
  // Preferences.
  [
    2,
    { preference: 'Be nice.' },
    /^preference "Be nice\." is not the preference of "Workshop 8", .*word for word: "Answers must name exactly 9 sources\."/,
  ],
  [5, { preference: CHANGED }, /^preference .* is not the preference of "Workshop 8"/],
  [3, { preference: CHANGED }, /^preference .* is not the preference of "Workshop 7"/],
  [1, { preference: 'Be nice.' }, /^preference "Be nice\." is not the preference of "Workshop 1"/],
  [6, { preference: 'answers must name exactly 9 sources' }, /^preference must be the changed preference A'/],
  [
    10,
    { preference: 'Answers must rest on none.' },
    /^preference .* must repeat the changed preference A' of session 6 word for word: "Answers must rest on no source/,
  ],
  [
    13,
    { preference: 'Answers must name exactly 9 sources.' },
    /^preference must be the changed preference A'/,
  ],
  [13, { preference: 'Something else.' }, /^preference .* must repeat/],
  // Task types.
  [
    1,
    { task_type: 'Coding & debugging' },
    /^task_type "Coding & debugging" is not one of those of "Workshop 1": Information seeking, Communicating\.$/,
  ],
  [1, { task_type: 'Cooking' }, /^task_type "Cooking" is not one of Information seeking, /],
  // Resources.
  [
    1,
    { resource: 'A note.' },
    /^the session has a resource, but request_with_factor does not hold \[resource\]/,
  ],
  [2, { resource: '' }, /^request_with_factor holds \[resource\], but the session has no resource/],
  [2, { resource: ['a', 'b'] }, /^resource must be one text, not a list/],
  // Fields.
  [7, { story: undefined }, /^story is missing/],
  [7, { request_with_factor: ' ' }, /^request_with_factor is empty/],
])('session %i with %j is refused by its number, with the remedy', (session, change, reason) => {
  const [, number, problem] =
    /^session (\d+): (.*)$/.exec(getReason(checkJourney(answer({ [session]: change }), PLAN))) ?? [];
  expect(number).toBe(String(session));
  expect(problem).toMatch(reason);
});

test('a missing or an additional session is refused by number', () => {
  expect(getReason(check(SESSIONS.slice(0, 12)))).toBe(
    'there must be exactly 13 sessions, but there are 12.',
  );
  expect(getReason(check([...SESSIONS, ...SESSIONS.slice(0, 1)]))).toMatch(/13 sessions, but there are 14/);
  expect(getReason(checkJourney(renderFencedYaml({ sessions: SESSIONS }), PLAN))).toBe(
    'the answer holds no list under the key "scenarios".',
  );
});

test('any two sessions in each other’s places are refused, unless they are of the same kind', () => {
  for (let one = 0; one < STRUCTURE.length; one += 1) {
    for (let other = one + 1; other < STRUCTURE.length; other += 1) {
      const swapped = SESSIONS.map((_, index) => ({
        ...pickCyclic(SESSIONS, index === one ? other : index === other ? one : index),
        id: index + 1,
      }));
      expect([one, other, check(swapped).ok]).toEqual([one, other, STRUCTURE[one] === STRUCTURE[other]]);
    }
  }
});

test('with a taxonomy of the run’s own, task types are its', () => {
  const factors = FACTORS.map((factor) => ({ ...factor, task_types: ['Drafting', 'Checking'] }));
  const taxonomy = {
    factor_types: ['Person', 'Place'],
    task_types: ['Drafting', 'Checking'],
    preference_types: ['Voice', 'Depth'],
  };
  const sessions = buildExampleSessions(STRUCTURE, factors);
  expect(getValue(check(sessions, { factors, taxonomy })).sessions).toEqual(sessions);
  expect(getReason(check(sessions, { factors }))).toMatch(
    /task_type "\w+" is not one of Information seeking/,
  );
});

describe('a part of a journey', () => {
  // The second part begins with session 6, the first with A'.
  const earlier = SESSIONS.slice(0, 5);
  const part = { earlier, factorA: 'Workshop 8' };
  const checkPart = (scenarios: readonly unknown[], plan: Partial<JourneyPlan> = {}) =>
    check(scenarios, { structure: STRUCTURE.slice(0, 10), part, ...plan });
  const written = SESSIONS.slice(5, 10);
  const change = (at: number, changes: object) =>
    written.map((session, index) => (index === at - 6 ? { ...session, ...changes } : session));

  test('is returned without the sessions before it', () => {
    expect(getValue(checkPart(written)).sessions).toEqual(written);
  });

  test('may have no session of the pair', () => {
    const structure: SessionRole[] = ['free', 'free'];
    const sessions = buildExampleSessions(structure, FACTORS);
    const plan = { structure, part: { earlier: [], factorA: 'Workshop 7' } };
    expect(getValue(check(sessions, plan)).sessions).toEqual(sessions);
  });

  test.each<[at: number, changes: object, reason: RegExp]>([
    [7, { id: 2 }, /^session 7: id must be 7/],
    [8, { story: undefined }, /^session 8: story is missing/],
    [
      6,
      { context_factor: 'Workshop 7' },
      /^session 6: context_factor must be "Workshop 8" here \(factor A, as factor A is/,
    ],
    [
      10,
      { preference: 'Answers must rest on none.' },
      /^session 10: .* must repeat the changed preference A' of session 6/,
    ],
  ])('with session %i changed to %j is refused by its number in the journey', (at, changes, reason) => {
    expect(getReason(checkPart(change(at, changes)))).toMatch(reason);
  });

  test('repeats the changed preference of an earlier part', () => {
    const plan = { structure: STRUCTURE, part: { ...part, earlier: SESSIONS.slice(0, 10) } };
    const last = SESSIONS.slice(10);
    expect(getValue(check(last, plan)).sessions).toEqual(last);
    const other = last.map((session) => ({ ...session, preference: 'Answers must rest on none.' }));
    expect(getReason(check(other, plan))).toMatch(
      /session 13: .*must repeat the changed preference A' of session 6/,
    );
  });

  test('has its own number of sessions', () => {
    expect(getReason(checkPart(SESSIONS))).toBe('there must be exactly 5 sessions, but there are 13.');
  });
});
