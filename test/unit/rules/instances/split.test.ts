import { listRelevantSessions, splitInstances } from '../../../../rules/instances/split';
import { drawStructure } from '../../../../rules/journey/structure';
import { instanceSchema } from '../../../../schemas/dataset/instance';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';
import { CHANGED, buildExampleRecord } from '../examples';

const places = (structure: readonly string[], roles: readonly string[]) =>
  structure.flatMap((role, index) => (roles.includes(role) ? [index + 1] : []));

const inOrder = (sessions: number[]) => sessions.toSorted((one, other) => one - other);

test.each([9, 13, 16])(
  'of %i sessions each instance has all but five as prior interactions, of the right kinds',
  (nSessions) => {
    for (let id = 1; id <= 60; id += 1) {
      const structure = drawStructure({ nSessions, seed: 42, personaId: id });
      const record = buildExampleRecord(structure, id);
      const split = splitInstances(record, 42);
      expect(split.map(({ instance }) => instance.instance_type)).toEqual([...INSTANCE_TYPES]);
      const before = structure.slice(0, -1);
      const [consistent, contrastive, changing] = split.map(({ priorSessions }) => priorSessions);
      expect(consistent).toEqual(places(before, ['A', 'free']));
      const kept = places(before, ['free']).filter((session) => contrastive?.includes(session));
      expect(kept).toHaveLength(places(before, ['free']).length - 2);
      expect(contrastive).toEqual(inOrder([...places(before, ['A', 'B']), ...kept]));
      expect(changing).toEqual(inOrder([...places(before, ['A', "A'"]), ...kept]));
      for (const { instance, priorSessions } of split) {
        expect(priorSessions).toHaveLength(nSessions - 5);
        expect(instanceSchema.parse(instance)).toEqual(instance);
        const answers = instance.prior_interactions.map(({ dialogue }) => dialogue[1]?.content);
        expect(answers).toEqual(priorSessions.map((session) => `Answer in session ${session}.`));
      }
    }
  },
);

test('the sessions that instances are about are those of the pair, before the last', () => {
  const structure = drawStructure({ nSessions: 13, seed: 42, personaId: 7 });
  const pair = places(structure.slice(0, -1), ['A', "A'", 'B']);
  expect(listRelevantSessions(buildExampleRecord(structure))).toEqual(pair);
});

test('the current request, factor, preference and checklist are those of the paper', () => {
  const record = buildExampleRecord(drawStructure({ nSessions: 13, seed: 42, personaId: 7 }));
  const [consistent, contrastive, changing] = splitInstances(record, 42).map(({ instance }) => instance);
  const last = record.sessions[12];
  for (const instance of [consistent, contrastive, changing]) {
    expect(instance?.persona_id).toBe('7+baker');
    expect(instance?.current_request).toBe('Help me at Workshop 8 with number 13.');
    expect(instance?.current_context_factor).toBe('Workshop 8');
  }
  for (const instance of [consistent, contrastive]) {
    expect(instance?.current_contextual_preference).toBe(record.context_factors[7]?.preference);
    expect(instance?.current_checklist).toEqual([
      `Does it keep to this: ${record.context_factors[7]?.preference}`,
    ]);
  }
  expect(changing?.current_contextual_preference).toBe(CHANGED);
  expect(changing?.current_checklist).toEqual(last?.checklist);
  const partners = (preference?: string) =>
    [consistent, contrastive, changing].map(
      (instance) =>
        instance?.prior_interactions.filter((prior) => prior.contextual_preference === preference).length,
    );
  expect(partners(record.context_factors[6]?.preference)).toEqual([0, 2, 0]);
  expect(partners(CHANGED)).toEqual([0, 0, 2]);
});

test('a resource stands in the current request', () => {
  const record = buildExampleRecord(drawStructure({ nSessions: 13, seed: 42, personaId: 7 }));
  const sessions = record.sessions.map((session) =>
    session.id === 13
      ? { ...session, request_with_factor: 'Read [resource]', resource: 'a $1 note' }
      : session,
  );
  expect(splitInstances({ ...record, sessions }, 42)[0]?.instance.current_request).toBe('Read a $1 note');
});

test('which two sessions are left out depends on run seed and persona, and on nothing else', () => {
  const structure = drawStructure({ nSessions: 13, seed: 42, personaId: 7 });
  const prior = (id: number, seed: number) =>
    splitInstances(buildExampleRecord(structure, id), seed)
      .map(({ priorSessions }) => priorSessions.join())
      .join(' ');
  expect(prior(7, 42)).toBe(prior(7, 42));
  const personas = Array.from({ length: 30 }, (_, index) => index + 1);
  expect(new Set(personas.map((id) => prior(id, 42))).size).toBeGreaterThan(5);
  expect(new Set(personas.map((seed) => prior(7, seed))).size).toBeGreaterThan(5);
});

test('an incomplete record gives no instance, and the error names persona and session', () => {
  const record = buildExampleRecord(drawStructure({ nSessions: 13, seed: 42, personaId: 7 }));
  const split = (changes: Partial<typeof record>) => () => splitInstances({ ...record, ...changes }, 42);
  for (const session of splitInstances(record, 42)[1]?.priorSessions ?? []) {
    const without = record.interactions.filter(({ session_id: id }) => id !== session);
    expect(split({ interactions: without })).toThrow(
      `Persona 7+baker is incomplete and yields no instances: it has no dialogue for session ${session}.`,
    );
    const empty = record.interactions.map((one) => (one.session_id === session ? { ...one, chat: [] } : one));
    expect(split({ interactions: empty })).toThrow(`no dialogue for session ${session}`);
  }
  expect(split({ sessions: [] })).toThrow(
    '7+baker is incomplete and yields no instances: it has no sessions',
  );
  expect(split({ context_factors: record.context_factors.slice(0, 6) })).toThrow(
    /lacks a context factor.*Workshop 8/,
  );
  const one = record.sessions.find((session) => session.context_factor === 'Workshop 7');
  expect(split({ sessions: record.sessions.filter((session) => session !== one) })).toThrow(
    /has 4, 1 and 6 sessions/,
  );
});
