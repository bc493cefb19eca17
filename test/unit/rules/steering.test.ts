import {
  priceRefusal,
  refusal,
  steered,
  type SteeringNow,
  type WantedSteering,
} from '../../../rules/steering';
import type { Budget, Steering } from '../../../schemas/steering';
import { priceTable } from '../../price-table';

const MODEL = 'openai:gpt-4o-2024-11-20';
const BARE: Steering = { paused: false, limits: {} };

describe('a change of how a run is steered', () => {
  test("leaves what it does not name as it was, and replaces a model's limits as a whole", () => {
    const before: Steering = {
      paused: true,
      concurrency: 8,
      limits: { a: { requestsPerMinute: 60, inFlight: 4 }, b: { inFlight: 2 } },
    };
    expect(steered(before, { limits: { a: { tokensPerMinute: 1_000 } } })).toEqual({
      ...before,
      limits: { a: { tokensPerMinute: 1_000 }, b: { inFlight: 2 } },
    });
  });

  test('is refused when it leaves a process at work without a call in flight', () => {
    expect(refused({ concurrency: 1 }, { workers: 2 })).toContain('Set a concurrency of 2 or more');
    expect(refused({ concurrency: 2 }, { workers: 2 })).toBeUndefined();
  });

  test('is refused when it changes nothing of a pause, and says so', () => {
    expect(refused({ paused: true }, { steering: { ...BARE, paused: true } })).toBe(
      'The run is already paused.',
    );
    expect(refused({ paused: false })).toBe('The run is not paused.');
    expect(refused({ paused: true })).toBeUndefined();
    expect(refused({ paused: false }, { steering: { ...BARE, paused: true } })).toBeUndefined();
  });

  test('does not lift a pause of the budget: that is raised, and the refusal says how', () => {
    const steering: Steering = { ...BARE, budget: { unit: 'usd', cap: 5 } };
    const now = { steering, outOfBudget: true, spent: { usd: 5, tokens: 5 } };
    expect(refused({ paused: false }, now)).toContain('Raise the budget with cupid set RUN --budget');
    expect(refused({ budget: { unit: 'usd', cap: 6 } }, now)).toBeUndefined();
  });

  test('names the models of the run when it limits another', () => {
    const why = refused({ limits: { 'openai:other': { inFlight: 1 } } });
    expect(why).toContain('openai:other');
    expect(why).toContain(MODEL);
    expect(refused({ limits: { [MODEL]: { inFlight: 1 } } })).toBeUndefined();
  });

  test('never gives a budget in dollars to a run with a model without a price', () => {
    const usd: Budget = { unit: 'usd', cap: 5 };
    const models = [MODEL, 'openai-compatible:nobody-knows@http://localhost:1/v1'];
    const table = priceTable({ [MODEL]: { input: 1, output: 1 } });
    expect(priceRefusal({ budget: usd }, models, table)).toContain('openai-compatible:nobody-knows has none');
    expect(priceRefusal({ budget: { unit: 'tokens', cap: 5 } }, models, table)).toBeUndefined();
    expect(priceRefusal({ budget: usd }, [MODEL], table)).toBeUndefined();
    expect(priceRefusal({}, models, table)).toBeUndefined();
  });

  test('never lowers a budget to what is spent already', () => {
    const now = { spent: { usd: 7.5, tokens: 0 } };
    expect(refused({ budget: { unit: 'usd', cap: 7.5 } }, now)).toContain('has already spent $7.50');
    expect(refused({ budget: { unit: 'usd', cap: 8 } }, now)).toBeUndefined();
  });
});

function refused(change: WantedSteering, now: Partial<SteeringNow> = {}): string | undefined {
  return refusal(change, {
    steering: BARE,
    outOfBudget: false,
    workers: 1,
    models: [MODEL],
    spent: { usd: 0, tokens: 0 },
    ...now,
  });
}
