import {
  buildDialogueId,
  buildJournalKey,
  buildPersonaWorkflowId,
  computeSampleStart,
  parseJournalKey,
  buildTrialId,
  parseTrialContext,
  type CallKey,
} from '../../../../engine/journal/key';
import { SYNTHESIS_STEPS } from '../../../../schemas/run/step';

const KEYS: CallKey[] = [
  { workflowId: 'run', revision: 0, step: 'describe', turn: 5, attempt: 0 },
  { workflowId: buildDialogueId('cupid-1a2b3c4d', 17, 3), revision: 2, step: 'user', turn: 4, attempt: 11 },
  { workflowId: buildDialogueId('my run #1/g0', 1, 12), revision: 0, step: 'assistant', turn: 1, attempt: 0 },
  {
    workflowId: buildTrialId('run', { instance: 3, model: 2, context: 'full' }),
    revision: 1,
    step: 'match',
    turn: 'e2.true.a1',
    attempt: 0,
  },
];

test.each(KEYS)('the key of $step is parsed into what it was built from', (key) => {
  expect(parseJournalKey(buildJournalKey(key))).toEqual({ ...key, turn: String(key.turn) });
});

test('a journal key reads as documented', () => {
  const workflowId = buildDialogueId('run-1', 17, 3);
  const key = { workflowId, revision: 0, step: 'user', turn: 4, attempt: 0 } as const;
  expect(buildJournalKey(key)).toBe('run-1/p17/s3#r0.user.t4.a0');
  expect(buildPersonaWorkflowId('run-1', 17)).toBe('run-1/p17');
});

test('different calls have different journal keys, whatever the workflow id holds', () => {
  const ids = ['run-1', 'run-1/p1', 'run-1/p11', 'run#r0.user.t4.a0', 'run#r0.user.t4.a0#', 'a\nb'];
  const keys = ids.flatMap((workflowId) =>
    SYNTHESIS_STEPS.flatMap((step) =>
      [0, 1, 10, 11].flatMap((number): CallKey[] => [
        { workflowId, step, revision: number, turn: 1, attempt: 0 },
        { workflowId, step, revision: 2, turn: number + 2, attempt: 0 },
        { workflowId, step, revision: 2, turn: 1, attempt: number + 1 },
      ]),
    ),
  );
  expect(new Set(keys.map(buildJournalKey)).size).toBe(keys.length);
});

test('every attempt knows the first attempt of its sample', () => {
  expect([0, 1, 4, 5, 9, 10].map((attempt) => computeSampleStart(attempt, 4))).toEqual([0, 0, 0, 5, 5, 10]);
  expect([0, 1, 2].map((attempt) => computeSampleStart(attempt, 0))).toEqual([0, 1, 2]);
});

test.each(['', 'run/p1/s3', 'run#r0.user.t1', 'run#r0.tune.t1.a0', 'run#r0.user.t1.a0 copy'])(
  '"%s" is no journal key',
  (text) => {
    expect(parseJournalKey(text)).toBeUndefined();
  },
);

test('the context of a trial is part of its id, and of no other', () => {
  const trial = { instance: 3, model: 2, context: 'oracle' } as const;
  expect(parseTrialContext(buildTrialId('run/i1/m2', trial))).toBe('oracle');
  expect(parseTrialContext(buildDialogueId('run', 17, 3))).toBeUndefined();
});
