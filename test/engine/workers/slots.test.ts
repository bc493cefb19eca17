import { createSlotSupplier } from '../../../workers/worker';

type Reserve = ReturnType<typeof createSlotSupplier>['reserveSlot'];

describe('slots whose number changes', () => {
  test('are given out up to their number, and no further', async () => {
    const { slots, reserve } = slotsOf(2);
    await reserve();
    expect(slots.tryReserveSlot(CONTEXT)).not.toBeNull();
    expect(slots.tryReserveSlot(CONTEXT)).toBeNull();
    const third = reserve();
    expect(await isPending(third)).toBe(true);
    release(slots);
    await expect(third).resolves.toEqual({});
    expect(slots.tryReserveSlot(CONTEXT)).toBeNull();
  });

  test('go to those that wait in the order in which they came, one for each that is given back', async () => {
    const { slots, reserve } = slotsOf(1);
    await reserve();
    const [first, second] = [reserve(), reserve()];
    release(slots);
    await first;
    expect(await isPending(second)).toBe(true);
    release(slots);
    await second;
  });

  test('are given to who waits when there are more of them, without any being given back', async () => {
    const { numbers, reserve } = slotsOf(0);
    const waiting = reserve();
    numbers.capacity = 1;
    await expect(waiting).resolves.toEqual({});
  });

  test('are not taken from who has one when there are fewer, but the next one waits until enough are given back', async () => {
    const { slots, numbers, reserve } = slotsOf(3);
    await Promise.all([reserve(), reserve(), reserve()]);
    numbers.capacity = 1;
    const next = reserve();
    release(slots);
    release(slots);
    expect(await isPending(next)).toBe(true);
    release(slots);
    await expect(next).resolves.toEqual({});
  });

  test('are not kept by who gives up waiting', async () => {
    const { slots, reserve } = slotsOf(1);
    await reserve();
    const stopping = new AbortController();
    const waiting = reserve(stopping.signal);
    const reason = new Error('The worker stops.');
    stopping.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(reserve(stopping.signal)).rejects.toBe(reason);
    release(slots);
    expect(slots.tryReserveSlot(CONTEXT)).not.toBeNull();
    expect(slots.tryReserveSlot(CONTEXT)).toBeNull();
  });
});

const CONTEXT: Parameters<Reserve>[0] = {
  slotType: 'activity',
  taskQueue: 'queue',
  workerIdentity: 'worker',
  workerBuildId: 'build',
  isSticky: false,
};

function slotsOf(capacity: number) {
  const numbers = { capacity };
  const slots = createSlotSupplier(() => numbers.capacity);
  const reserve = (signal = new AbortController().signal) => slots.reserveSlot(CONTEXT, signal);
  return { slots, numbers, reserve };
}

function release(slots: ReturnType<typeof createSlotSupplier>): void {
  slots.releaseSlot({ slotInfo: { type: 'activity', activityType: 'any' }, permit: {} });
}

/** Returns whether a promise is still pending when everything else has continued. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const other = Symbol('pending');
  const later = new Promise((resolve) => setImmediate(resolve)).then(() => other);
  return (await Promise.race([promise, later])) === other;
}
