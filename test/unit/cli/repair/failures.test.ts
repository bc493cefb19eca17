import { renderFailures } from '../../../../cli/repair/failures';
import type { Failure, FailuresOf } from '../../../../runs/failures/read-failures';

function buildFailure(name: string, countsAsZero: boolean): Failure {
  return {
    name,
    workflowId: `w/${name}`,
    persona: null,
    session: null,
    step: 'infer',
    turn: 0,
    kind: countsAsZero ? 'context-length' : 'refused',
    cause: 'The provider says why.',
    countsAsZero,
    describedTogether: null,
    attempts: 0,
    reasons: [],
    calls: 1,
    tokens: { input: 10, output: 0 },
    cost: { usd: 0, unpricedModels: [], lowerBound: false },
    bundle: null,
  };
}

const render = (...failures: Failure[]) => {
  const evaluation: FailuresOf = { run: 'e2', kind: 'evaluation', folder: 'results', open: false, failures };
  return renderFailures(evaluation, 'results').join('\n');
};

const MISSING = buildFailure('i1/m1/full', false);
const ZERO = buildFailure('i4/m1/full', true);

test('calls over the context length are no missing ones: they have a number and a remedy of their own', () => {
  const text = render(ZERO, MISSING, buildFailure('i5/m1/full', true));
  expect(text).toMatch(/^1 missing call of run e2:\n\ni1\/m1\/full/);
  expect(text).toMatch(
    /\n2 calls over the context length of the model under test, which count as 0 and are not missing:\n\ni4\/m1\/full/,
  );
  expect(text).toContain(
    'Retry them: cupid retry results\nRetry only some of them: cupid retry results --only i1/m1/full',
  );
  expect(text).toContain('retried only if you name it: cupid retry results --only i4/m1/full');
});

test('where every score is there, no score is missing, whatever counts as 0', () => {
  const text = render(ZERO);
  expect(text).toMatch(
    /^No score is missing\.\n\n1 call over the context length of the model under test, which/,
  );
  expect(text).not.toContain('Retry them');
  expect(render()).toBe('No score is missing.');
  expect(render(MISSING)).not.toContain('context length');
});

test('a verification lacks verdicts, and another model gives them in a folder of its own', () => {
  const verification: FailuresOf = {
    run: 'v1',
    kind: 'evaluation',
    folder: 'verified',
    open: true,
    verifier: 'simulated:default',
    failures: [],
  };
  expect(renderFailures(verification, 'verified')).toEqual(['No verdict is missing so far.']);
  const failed = { ...verification, failures: [{ ...MISSING, step: 'guess' as const }] };
  expect(renderFailures(failed, 'verified').at(-1)).toBe(
    'Use another model: cupid verify DATA --model SPEC --results-dir DIR',
  );
});

test('another evaluator is suggested unless all missing calls are of the model under test', () => {
  const judge = { ...MISSING, step: 'judge' as const };
  const suggestion = 'Use another evaluator: cupid eval --results-dir results --rescore --evaluator SPEC';
  expect(render(MISSING)).not.toContain('Use another');
  expect(render(MISSING, judge)).toContain(suggestion);
});
