import { FlexCapacity } from '../../../activities/flex-capacity';
import { ModelError } from '../../../models/errors/error';

const FULL = new ModelError('no-capacity', 'full');
const SECOND = 1_000;

function capacity(fallbackMs?: number) {
  const clock = { now: 0 };
  return { clock, flex: new FlexCapacity('openai:a', 'flex', fallbackMs, () => clock.now) };
}

function choice(flex: FlexCapacity): string {
  try {
    return flex.choose();
  } catch (error) {
    return error instanceof ModelError ? error.kind : 'unexpected';
  }
}

test('while the tier is full one call tries it, with growing pauses, and the others wait', () => {
  const { clock, flex } = capacity();
  expect(choice(flex)).toBe('flex');
  const tries: number[] = [];
  flex.full(FULL);
  for (; clock.now < 600 * SECOND; clock.now += SECOND) {
    if (choice(flex) === 'flex') {
      tries.push(clock.now / SECOND);
      flex.full(FULL);
    }
  }
  const pauses = tries.map((at, index) => at - (tries[index - 1] ?? 0));
  expect(pauses).toEqual([10, 20, 40, 80, 120, 120, 120]);
  expect(choice(flex)).toBe('no-capacity');
  flex.served('flex');
  expect([choice(flex), choice(flex)]).toEqual(['flex', 'flex']);
});

test('after the fallback time calls go to the standard tier, until the tier has room again', () => {
  const { clock, flex } = capacity(60 * SECOND);
  const { retryAfterMs } = flex.full(FULL);
  expect(retryAfterMs).toBe(10 * SECOND);
  clock.now = 59 * SECOND;
  expect(choice(flex)).toBe('flex');
  flex.full(FULL);
  expect(choice(flex)).toBe('no-capacity');
  clock.now = 61 * SECOND;
  expect(choice(flex)).toBe('standard');
  flex.served('standard');
  expect(choice(flex)).toBe('standard');
  clock.now = 300 * SECOND;
  expect([choice(flex), choice(flex)]).toEqual(['flex', 'standard']);
  flex.served('flex');
  expect(choice(flex)).toBe('flex');
});
