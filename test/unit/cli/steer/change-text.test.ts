import { renderSteeringChange } from '../../../../cli/steer/change-text';
import type { AppliedSteering, SteeringChange } from '../../../../runs/steer/steer';
import type { Steering } from '../../../../schemas/run/steering';
import { expectGolden } from '../../../golden';
import { buildPriceTable } from '../../../price-table';

const MODEL = 'openai:gpt-4o-2024-11-20';
const RUN = {
  id: 'cupid-1a2b3c4d',
  kind: 'synthesis',
  name: 'out',
  models: [MODEL],
  engine: 'engine',
} as const;

const TOKENS = { unit: 'tokens', cap: 2_000_000 } as const;
const DOLLARS = { unit: 'usd', cap: 50 } as const;
const LIMITS = { [MODEL]: { requestsPerMinute: 600 } };
const SET = steered({ budget: TOKENS, limits: LIMITS, concurrency: 64 }, { concurrency: 64, spent: 500_000 });
const TIERS = { tiers: { 'openai:gpt-6-luna': 'flex' }, tierFallbackMs: 1_800_000 } as const;
const TABLE = { modelTable: buildPriceTable({ 'openai:a': { input: 1, output: 1 } }) };
const PAUSED_BY_BUDGET = steered({}, { paused: { by: 'budget', spent: 5, cap: 5 } });
const PAUSED_BY_USER = steered({ budget: DOLLARS, paused: true }, { paused: { by: 'user' } });

const CHANGES: readonly (readonly [what: string, change: Partial<SteeringChange>])[] = [
  [
    'several things, each with what it was',
    {
      wanted: { concurrency: 64, budget: TOKENS, limits: LIMITS },
      before: steered({ budget: DOLLARS }, { concurrency: 32, spent: 12 }),
      now: SET,
    },
  ],
  ['a first budget', { wanted: { budget: TOKENS }, now: SET }],
  ['tiers, and when calls leave them', { wanted: TIERS, now: steered(TIERS) }],
  ['a model table', { wanted: TABLE, now: steered(TABLE) }],
  [
    'a budget that lets the run continue',
    { wanted: { budget: DOLLARS }, before: PAUSED_BY_BUDGET, now: steered({ budget: DOLLARS }) },
  ],
  [
    'a budget of a run that a user paused',
    { wanted: { budget: DOLLARS }, before: PAUSED_BY_USER, now: PAUSED_BY_USER },
  ],
  ['a pause of a stopped run', { how: 'kept', wanted: { paused: true } }],
  [
    'a pause of a run with a space in its name',
    { run: { ...RUN, name: 'my run' }, wanted: { paused: true } },
  ],
  ['a pause of a stopped run that is lifted', { how: 'kept', wanted: { paused: false } }],
  ['a pause that is lifted', { wanted: { paused: false }, before: PAUSED_BY_USER }],
  [
    'a pause that is lifted while the budget is spent',
    { wanted: { paused: false }, before: PAUSED_BY_USER, now: steered({ budget: DOLLARS }, { spent: 50 }) },
  ],
  ['a rate of a stopped run', { how: 'kept', wanted: { limits: { [MODEL]: {} } } }],
];

test('what pausing, resuming and setting say', () => {
  const { now: _, ...nothing } = change({ wanted: { paused: true } });
  const unchanged: readonly (readonly [string, SteeringChange])[] = [
    ['a pause that is there already', nothing],
    ['a pause that is not there', { ...nothing, wanted: { paused: false } }],
    ['a pause that is not there, of a stopped run', { ...nothing, wanted: { paused: false }, how: 'kept' }],
    [
      'the same, where its budget is spent',
      {
        ...nothing,
        wanted: { paused: false },
        how: 'kept',
        before: steered({ budget: DOLLARS }, { spent: 50 }),
      },
    ],
  ];
  const changed = CHANGES.map(([what, part]) => [what, change(part)] as const);
  expectGolden(
    'steering.txt',
    [...changed, ...unchanged].map(([what, one]) => [what, renderSteeringChange(one).join('\n')]),
  );
});

function change(part: Partial<SteeringChange>): SteeringChange {
  return { run: RUN, how: 'applied', wanted: {}, before: steered(), now: steered(), ...part };
}

function steered(
  steering: Partial<Steering> = {},
  others: Omit<AppliedSteering, 'steering'> = {},
): AppliedSteering {
  return { steering: { paused: false, limits: {}, ...steering }, ...others };
}
