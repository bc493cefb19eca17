import {
  computeRevision,
  findModel,
  listRevisions,
  buildRestarts,
  countRestarts,
  deriveSeedPlace,
  type RestartableCall,
} from '../../../../engine/journal/revisions';
import { deriveCallSeed } from '../../../../rules/sampling/random';
import type { Restart } from '../../../../schemas/run/restart';

const PERSONA = 17;
const CALLS: Readonly<Record<string, RestartableCall>> = {
  description: { persona: PERSONA, step: 'describe', turn: 17 },
  factors: { persona: PERSONA, step: 'factors', turn: 0 },
  journey: { persona: PERSONA, step: 'journey', turn: 0 },
  'journey part 1': { persona: PERSONA, step: 'journey', turn: 1 },
  'journey part 2': { persona: PERSONA, step: 'journey', turn: 2 },
  'checklist 1': { persona: PERSONA, step: 'checklist', turn: 1 },
  'checklist 2': { persona: PERSONA, step: 'checklist', turn: 2 },
  's3 assistant 1': { persona: PERSONA, session: 3, step: 'assistant', turn: 1 },
  's3 user 1': { persona: PERSONA, session: 3, step: 'user', turn: 1 },
  's3 assistant 2': { persona: PERSONA, session: 3, step: 'assistant', turn: 2 },
  's3 user 2': { persona: PERSONA, session: 3, step: 'user', turn: 2 },
  's3 assistant 3': { persona: PERSONA, session: 3, step: 'assistant', turn: 3 },
  's4 assistant 2': { persona: PERSONA, session: 4, step: 'assistant', turn: 2 },
};

const restart = (place: Omit<Restart, 'persona' | 'revision'>, revision = 1): Restart => ({
  persona: PERSONA,
  ...place,
  revision,
});

const revisionsIn = (restarts: readonly Restart[]) =>
  Object.fromEntries(Object.entries(CALLS).map(([name, call]) => [name, computeRevision(restarts, call)]));

const coveredBy = (place: Omit<Restart, 'persona' | 'revision'>) =>
  Object.entries(revisionsIn([restart(place)])).flatMap(([name, revision]) => (revision === 1 ? [name] : []));

describe('a restart covers the call it begins at and all that depends on it, and nothing else', () => {
  const names = Object.keys(CALLS);

  test.each<[string, Omit<Restart, 'persona' | 'revision'>, string[]]>([
    ['the description', { step: 'describe', turn: 0 }, names],
    ['the context factors', { step: 'factors', turn: 0 }, names.slice(1)],
    ['the journey', { step: 'journey', turn: 0 }, names.slice(2)],
    ['a part of a journey', { step: 'journey', turn: 2 }, names.slice(4)],
    [
      'a checklist',
      { step: 'checklist', turn: 2 },
      ['checklist 2', ...names.filter((name) => name.startsWith('s'))],
    ],
    [
      "an assistant's turn",
      { session: 3, step: 'assistant', turn: 2 },
      ['s3 assistant 2', 's3 user 2', 's3 assistant 3'],
    ],
    [
      "a user's turn: not the answer that the user was shown",
      { session: 3, step: 'user', turn: 2 },
      ['s3 user 2', 's3 assistant 3'],
    ],
  ])('%s', (_, place, covered) => {
    expect(coveredBy(place)).toEqual(covered);
  });

  test('of another persona it covers nothing', () => {
    const other = { ...restart({ step: 'describe', turn: 0 }), persona: 16 };
    expect(Object.values(revisionsIn([other]))).toEqual(names.map(() => 0));
  });
});

describe('the latest restart that covers a call decides', () => {
  test('on its revision', () => {
    const restarts = [
      restart({ session: 3, step: 'assistant', turn: 2 }, 1),
      restart({ session: 3, step: 'user', turn: 2 }, 2),
    ];
    expect(revisionsIn(restarts)).toMatchObject({
      journey: 0,
      's3 user 1': 0,
      's3 assistant 2': 1,
      's3 user 2': 2,
      's3 assistant 3': 2,
      's4 assistant 2': 0,
    });
  });

  test('so what a call depends on is never of a later revision than itself', () => {
    const order = ['description', 'factors', 'journey', 'checklist 1', 's3 assistant 1', 's3 user 1'];
    const restarts = [
      restart({ session: 3, step: 'assistant', turn: 1 }, 1),
      restart({ step: 'checklist', turn: 1 }, 2),
      restart({ session: 3, step: 'user', turn: 1 }, 3),
      restart({ step: 'factors', turn: 0 }, 4),
    ];
    for (let count = 1; count <= restarts.length; count += 1) {
      const revisions = revisionsIn(restarts.slice(0, count));
      const along = order.map((name) => revisions[name] ?? -1);
      expect(along).toEqual(along.toSorted((one, other) => one - other));
    }
  });
});

describe('the model of a call', () => {
  const models = { synthesis: 'openai:s', user: 'openai:u', assistant: 'openai:a' };
  const modelAt = (restarts: readonly Restart[], name: keyof typeof CALLS) =>
    findModel(restarts, CALLS[name] ?? { persona: 0, step: 'user', turn: 0 }, models);
  const asked = { role: 'assistant' as const, spec: 'openai:b' };
  const from2 = restart({ session: 3, step: 'assistant', turn: 2, model: asked });

  test("is the settings' for its role, as long as no restart that covers it names one for this role", () => {
    expect(modelAt([], 'journey')).toBe('openai:s');
    expect(modelAt([from2], 's3 assistant 1')).toBe('openai:a');
    expect(modelAt([from2], 's4 assistant 2')).toBe('openai:a');
    expect(modelAt([from2], 's3 user 2')).toBe('openai:u');
  });

  test('is the one that was named, from there on', () => {
    expect(modelAt([from2], 's3 assistant 2')).toBe('openai:b');
    expect(modelAt([from2], 's3 assistant 3')).toBe('openai:b');
  });

  test('may be of another role than the step that a restart begins at', () => {
    const model = { role: 'user' as const, spec: 'openai:v' };
    const restarts = [restart({ session: 3, step: 'assistant', turn: 2, model })];
    expect(modelAt(restarts, 's3 user 2')).toBe('openai:v');
    expect(modelAt(restarts, 's3 assistant 2')).toBe('openai:a');
  });

  test('stays through later restarts that begin there or further on, and another one takes its place', () => {
    const again = restart({ session: 3, step: 'assistant', turn: 2 }, 2);
    expect(modelAt([from2, again], 's3 assistant 2')).toBe('openai:b');
    const further = restart({ session: 3, step: 'assistant', turn: 3 }, 2);
    expect(modelAt([from2, further], 's3 assistant 3')).toBe('openai:b');
    const model = { role: 'assistant' as const, spec: 'openai:c' };
    const other = restart({ session: 3, step: 'assistant', turn: 3, model }, 2);
    expect(modelAt([from2, other], 's3 assistant 3')).toBe('openai:c');
    expect(modelAt([from2, other], 's3 assistant 2')).toBe('openai:b');
  });

  test("is the settings' again where a later restart goes back behind the one that named it", () => {
    const behind = restart({ step: 'factors', turn: 0 }, 2);
    expect(modelAt([from2, behind], 's3 assistant 2')).toBe('openai:a');
  });
});

test('restarts that are asked for together get the next revision of their persona each', () => {
  const before = [
    restart({ step: 'factors', turn: 0 }, 1),
    restart({ session: 3, step: 'user', turn: 2 }, 2),
  ];
  const places = [
    { persona: PERSONA, session: 3, step: 'user' as const, turn: 4 },
    { persona: PERSONA, session: 5, step: 'user' as const, turn: 1 },
    { persona: 2, step: 'journey' as const, turn: 0 },
  ];
  const added = buildRestarts(places, before);
  expect(added.map(({ revision }) => revision)).toEqual([3, 3, 1]);
  expect([PERSONA, 2, 3].map((persona) => countRestarts([...before, ...added], persona))).toEqual([3, 1, 0]);
});

const seedOf = (revision: number) => deriveCallSeed(42, ...deriveSeedPlace([17, 3], revision), 'user', 4, 0);

test('a call that is restarted has another seed, and one that is not has the one it had', () => {
  expect(seedOf(0)).toBe(deriveCallSeed(42, 17, 3, 'user', 4, 0));
  expect(new Set([0, 1, 2].map(seedOf)).size).toBe(3);
});

test('restarts as they were in each revision of a persona; those of one command come together', () => {
  const [first, second] = [restart({ step: 'journey', turn: 0 }), restart({ step: 'checklist', turn: 1 }, 2)];
  const third = restart({ step: 'checklist', turn: 2 }, 2);
  const other = { ...first, persona: PERSONA + 1, revision: 3 };
  expect(listRevisions([first, other, second, third], PERSONA)).toEqual([
    [],
    [first],
    [first, second, third],
  ]);
  expect(listRevisions([other], PERSONA)).toEqual([[]]);
});
