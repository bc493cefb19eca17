import { createStamp, findStampProblem, splitStamp } from '../../../engine/stamp';

const stamp = createStamp('update', 'steer', 1_000);

test.each([
  ['nothing', [], { args: [], stamp: undefined }],
  ['an input only', [{ run: 'r' }], { args: [{ run: 'r' }], stamp: undefined }],
  [
    'what a worker has put in place of unsigned values',
    [undefined, undefined],
    { args: [undefined, undefined], stamp: undefined },
  ],
  ['an input and its stamp', [{ run: 'r' }, stamp], { args: [{ run: 'r' }], stamp }],
  ['a stamp only', [stamp], { args: [], stamp }],
  ['a time without a purpose', [{ at: 1_000 }], { args: [{ at: 1_000 }], stamp: undefined }],
])('the stamp is split off the arguments: %s', (_, args, split) => {
  expect(splitStamp(args)).toEqual(split);
});

test.each([
  ['its own', stamp, 'update', 'steer', undefined, undefined],
  ['none', undefined, 'update', 'steer', undefined, 'not signed'],
  ['of another name', stamp, 'update', 'report', undefined, 'something else (update steer)'],
  ['of another kind', stamp, 'signal', 'steer', undefined, 'something else (update steer)'],
  ['as old as it may be', stamp, 'update', 'steer', 1_000, undefined],
  ['older', stamp, 'update', 'steer', 1_001, 'outdated'],
] as const)(
  'a message is rejected unless its stamp is for it and in time: %s',
  (_, own, kind, name, sinceMs, problem) => {
    const found = findStampProblem(own, kind, name, sinceMs);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  },
);
