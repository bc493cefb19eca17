import { formatRepairRequest } from '../../../../rules/answers/form/checks';
import {
  buildDialogueId,
  buildJournalKey,
  buildPersonaWorkflowId,
  type CallKey,
  computeSampleStart,
} from '../../../../engine/journal/key';
import { buildPersonaId } from '../../../../rules/instances/persona-id';
import { SYNTHESIS_STEPS } from '../../../../schemas/run/step';

test.each([
  [148, 'Real Estate Developer', '148+real_estate_developer'],
  [3, 'Writer/Editor', '3+writer_and_editor'],
  [9, ' Chef\tde cuisine ', '9+chef_de_cuisine'],
])('persona %i, %p, is named %s', (id, occupation, name) => {
  expect(buildPersonaId(id, occupation)).toBe(name);
});

test('a journal key reads as documented and workflow ids come from run, persona and session', () => {
  const workflowId = buildDialogueId('run-1', 17, 3);
  expect(buildJournalKey({ workflowId, revision: 0, step: 'user', turn: 4, ask: 0 })).toBe(
    'run-1/p17/s3#g0.user.t4.a0',
  );
  expect(buildPersonaWorkflowId('run-1', 17)).toBe('run-1/p17');
});

test('different calls have different journal keys, whatever the workflow id holds, and each key reads back', () => {
  const keys: CallKey[] = [];
  for (const workflowId of [
    'run-1',
    'run-1/p1',
    'run-1/p11',
    'run#g0.user.t4.a0',
    'run#g0.user.t4.a0#',
    'a\nb',
  ]) {
    for (const step of SYNTHESIS_STEPS) {
      for (const number of [0, 1, 10, 11]) {
        keys.push({ workflowId, revision: number, step, turn: 1, ask: 0 });
        keys.push({ workflowId, revision: 2, step, turn: number + 2, ask: 0 });
        keys.push({ workflowId, revision: 2, step, turn: 1, ask: number + 1 });
      }
    }
  }
  expect(new Set(keys.map(buildJournalKey)).size).toBe(keys.length);
});

test('every ask knows the first ask of its sample', () => {
  expect([0, 1, 4, 5, 9, 10].map((ask) => computeSampleStart(ask, 5))).toEqual([0, 0, 0, 5, 5, 10]);
  expect([0, 1, 2].map((ask) => computeSampleStart(ask, 1))).toEqual([0, 1, 2]);
});

test('a correction tells the model the reason and asks for the whole answer again', () => {
  expect(formatRepairRequest('session 5: story is missing.')).toMatch(
    /session 5: story is missing\.\n\n.*once more.*whole/,
  );
});
