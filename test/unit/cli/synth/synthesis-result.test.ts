import { renderCounts, renderFailures } from '../../../../cli/synth/synthesis-result';
import type { FailedWork } from '../../../../schemas/run/outcome';

function failed(persona: number, session?: number, cause = 'openai:m refused.'): FailedWork {
  const place = session === undefined ? {} : { session };
  const step = session === undefined ? ('describe' as const) : ('user' as const);
  return { workflowId: `w/${persona}`, persona, ...place, step, kind: 'refused', cause, reasons: [] };
}

test.each<[string, FailedWork[], string[]]>([
  ['none', [], []],
  ['one persona', [failed(3)], ['Failed: persona 3, step describe (refused): openai:m refused.']],
  ['one dialogue', [failed(3, 5)], ['Failed: persona 3, session 5, step user (refused): openai:m refused.']],
  [
    'many of one cause',
    Array.from({ length: 12 }, (_, at) => failed(at + 1)),
    ['Failed: 12 personas (1, 2, 3, 4, 5, 6, 7, 8 and 4 more), step describe (refused): openai:m refused.'],
  ],
  [
    'two causes',
    [failed(1, 2), failed(2, 3, 'Other.'), failed(4, 1)],
    [
      'Failed: 2 dialogues (1/s2, 4/s1), step user (refused): openai:m refused.',
      'Failed: persona 2, session 3, step user (refused): Other.',
    ],
  ],
])('failures (%s) are listed by their cause', (_, failures, lines) => {
  expect(renderFailures(failures)).toEqual(lines);
});

test('unsatisfied dialogues are counted, with how to list them', () => {
  const counts = {
    personas: 4,
    failedPersonas: 0,
    excludedPersonas: 0,
    instances: 12,
    unsatisfiedDialogues: 2,
  };
  expect(renderCounts({ counts }, 'my run')).toEqual([
    '4 personas, 12 instances, no failures.',
    "2 dialogues ended without satisfying the user, at the turn limit or because they stalled. They are kept and marked unsatisfied. To list them, run cupid explore 'my run' and choose Failure: unsatisfied dialogues; in files, see unsatisfied_sessions in provenance.parquet.",
  ]);
  expect(renderCounts({ counts: { ...counts, unsatisfiedDialogues: 0 } }, 'my run')).toHaveLength(1);
});
