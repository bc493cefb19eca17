import {
  computeSelfAgreement,
  summarizeByType,
  summarizeVerification,
} from '../../../../rules/verification/summary';
import type { CountedVerdicts } from '../../../../schemas/verification/verification';

const ROW: CountedVerdicts = {
  persona_id: '1+baker',
  instance_type: 'consistent',
  accepted: true,
  solvable: 'yes',
  challenging: 'yes',
  contrasting: null,
  solvable_again: null,
  challenging_again: null,
  contrasting_again: null,
};
const ROWS: CountedVerdicts[] = [
  { ...ROW, solvable_again: 'yes', challenging_again: 'no' },
  {
    ...ROW,
    instance_type: 'changing',
    accepted: false,
    solvable: 'unknown',
    contrasting: 'yes',
    solvable_again: 'yes',
    challenging_again: 'yes',
    contrasting_again: 'yes',
  },
  { ...ROW, persona_id: '2+pilot', accepted: false, solvable: 'no', challenging: 'unknown' },
];

test('an instance is rejected for a no, and undecided where it only lacks a verdict', () => {
  expect(summarizeVerification(ROWS)).toEqual({
    n_instances: 3,
    accepted: 1,
    rejected: 1,
    undecided: 1,
    verdicts: {
      solvable: { yes: 1, no: 1, unknown: 1 },
      challenging: { yes: 2, no: 0, unknown: 1 },
      contrasting: { yes: 1, no: 0, unknown: 0 },
    },
  });
  expect(summarizeByType(ROWS)).toMatchObject({
    consistent: { n_instances: 2 },
    changing: { n_instances: 1 },
  });
});

test('agreement compares the verdicts that were reached both times', () => {
  expect(computeSelfAgreement(ROWS)).toEqual({
    n_personas: 1,
    verdicts: {
      solvable: { compared: 1, equal: 1 },
      challenging: { compared: 2, equal: 1 },
      contrasting: { compared: 1, equal: 1 },
    },
    share: 0.75,
  });
  expect(computeSelfAgreement([ROW]).share).toBeNull();
});
