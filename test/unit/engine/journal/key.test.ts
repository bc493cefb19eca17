import {
  buildDialogueId,
  buildJournalKey,
  parseJournalKey,
  buildTrialWorkflowId,
  parseTrialContext,
  type CallKey,
} from '../../../../engine/journal/key';

const KEYS: CallKey[] = [
  { workflowId: 'run', revision: 0, step: 'describe', turn: 5, ask: 0 },
  { workflowId: buildDialogueId('cupid-1a2b3c4d', 17, 3), revision: 2, step: 'user', turn: 4, ask: 11 },
  { workflowId: buildDialogueId('my run #1/g0', 1, 12), revision: 0, step: 'assistant', turn: 1, ask: 0 },
  {
    workflowId: buildTrialWorkflowId('run', { instance: 3, model: 2, given: 'full' }),
    revision: 1,
    step: 'match',
    turn: 'e2.true.a1',
    ask: 0,
  },
];

test.each(KEYS)('the key of $step is parsed into what it was built from', (key) => {
  expect(parseJournalKey(buildJournalKey(key))).toEqual({ ...key, turn: String(key.turn) });
});

test.each(['', 'run/p1/s3', 'run#g0.user.t1', 'run#g0.tune.t1.a0', 'run#g0.user.t1.a0 copy'])(
  '"%s" is no journal key',
  (text) => {
    expect(parseJournalKey(text)).toBeUndefined();
  },
);

test('the context of a trial is part of the id of its workflow, and of no other', () => {
  const trial = { instance: 3, model: 2, given: 'oracle' } as const;
  expect(parseTrialContext(buildTrialWorkflowId('run/i1/m2', trial))).toBe('oracle');
  expect(parseTrialContext(buildDialogueId('run', 17, 3))).toBeUndefined();
});
