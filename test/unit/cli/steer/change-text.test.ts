import { COMMAND } from '../../../../cli/exit';
import { renderSteeringChange } from '../../../../cli/steer/change-text';
import type { AppliedSteering, SteeringChange } from '../../../../runs/control/steer';
import type { Steering } from '../../../../schemas/run/steering';
import { buildPriceTable } from '../../../price-table';

const MODEL = 'openai:gpt-4o-2024-11-20';
const RUN = {
  id: 'cupid-1a2b3c4d',
  kind: 'synthesis',
  name: 'out',
  models: [MODEL],
  engine: 'engine',
} as const;
const SAME = `Repeat its ${COMMAND} synth command to continue it.`;

describe('what pausing, resuming and setting say', () => {
  test('what was set, each with what it was, and what is spent in the unit of the budget', () => {
    const before = steered({ budget: { unit: 'usd', cap: 50 } }, { concurrency: 32, spent: 12 });
    const budget = { unit: 'tokens', cap: 2_000_000 } as const;
    const limits = { [MODEL]: { requestsPerMinute: 600 } };
    const wanted = { concurrency: 64, budget, limits };
    const now = steered({ budget, limits, concurrency: 64 }, { concurrency: 64, spent: 500_000 });
    expect(said({ wanted, before, now })).toEqual([
      'Concurrency: 64 (was 32).',
      'Budget: 2.0 Mtok (was $50.00); 500.0 ktok spent.',
      `Rate of ${MODEL}: at most 600 requests/min (was unlimited).`,
    ]);
    expect(said({ wanted: { budget }, before: steered(), now })).toEqual([
      'Budget: 2.0 Mtok (was none); 500.0 ktok spent.',
    ]);
  });

  test('tiers, and when calls leave them', () => {
    const tiers = { 'openai:gpt-6-luna': 'flex' } as const;
    const wanted = { tiers, tierFallbackMs: 1_800_000 };
    expect(said({ wanted, now: steered(wanted) })).toEqual([
      'Tier of openai:gpt-6-luna: flex (was standard).',
      'Standard tier after 30 min without capacity.',
    ]);
  });

  test('the model table by its entries', () => {
    const modelTable = buildPriceTable({ 'openai:a': { input: 1, output: 1 } });
    const [line] = said({ wanted: { modelTable }, now: steered({ modelTable }) });
    expect(line).toBe('Model table: the built-in one and 1 entry of yours (was the built-in one).');
  });

  test('a budget that lets the run continue says so; one that does not, because a user paused the run, says how it does', () => {
    const budget = { unit: 'usd', cap: 50 } as const;
    const before = steered({}, { paused: { by: 'budget', spent: 5, cap: 5 } });
    expect(said({ wanted: { budget }, before, now: steered({ budget }) })).toContain('The run continues.');
    const now = steered({ budget, paused: true }, { paused: { by: 'user' } });
    expect(said({ wanted: { budget }, before: now, now }).at(-1)).toContain(`${COMMAND} resume out`);
  });

  test('what is wanted of a stopped run is reported as what will be when it is started again', () => {
    expect(said({ how: 'kept', wanted: { paused: true } })).toEqual([
      `The run is stopped. It will start paused. Resume it with: ${COMMAND} resume out`,
    ]);
    expect(said({ run: { ...RUN, name: 'my run' }, wanted: { paused: true } })[0]).toContain(
      "resume 'my run'",
    );
    expect(said({ how: 'kept', wanted: { paused: false } })).toEqual([
      `The run is no longer paused. The run is stopped. ${SAME}`,
    ]);
    expect(said({ how: 'kept', wanted: { limits: { [MODEL]: {} } } }).at(-1)).toBe(
      'The run is stopped. The change applies when it continues.',
    );
  });

  test('a pause that is there already, and one that is not there, are only reported', () => {
    const { now: _, ...nothing } = change({ wanted: { paused: true } });
    expect(renderSteeringChange(nothing)).toEqual(['The run is already paused.']);
    expect(renderSteeringChange({ ...nothing, wanted: { paused: false } })).toEqual([
      'The run is not paused.',
    ]);
    expect(renderSteeringChange({ ...nothing, wanted: { paused: false }, how: 'kept' })).toEqual([
      `The run is not paused. The run is stopped. ${SAME}`,
    ]);
  });
});

function said(part: Partial<SteeringChange>): string[] {
  return renderSteeringChange(change(part));
}

function change(part: Partial<SteeringChange>): SteeringChange {
  return { run: RUN, how: 'applied', wanted: {}, before: steered(), now: steered(), ...part };
}

function steered(
  steering: Partial<Steering> = {},
  others: Omit<AppliedSteering, 'steering'> = {},
): AppliedSteering {
  return { steering: { paused: false, limits: {}, ...steering }, ...others };
}
