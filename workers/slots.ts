import type { ActivitySlotInfo, CustomSlotSupplier, SlotPermit } from '@temporalio/worker';

/** As many slots for activities as there is capacity for, which may change while the worker runs. */
export function createSlotSupplier(capacity: () => number): CustomSlotSupplier<ActivitySlotInfo> {
  let used = 0;
  const waiting = new Set<() => void>();
  const take = (): SlotPermit | null => {
    if (used >= capacity()) return null;
    used += 1;
    return {};
  };
  return {
    type: 'custom',
    async reserveSlot(_context, abortSignal) {
      for (;;) {
        if (abortSignal.aborted) throw abortSignal.reason;
        const permit = take();
        if (permit !== null) return permit;
        await new Promise<void>((resolve) => {
          const look = () => {
            clearTimeout(timer);
            waiting.delete(look);
            abortSignal.removeEventListener('abort', look);
            resolve();
          };
          // Capacity may have grown without a slot being given back.
          const timer = setTimeout(look, 500);
          waiting.add(look);
          abortSignal.addEventListener('abort', look, { once: true });
        });
      }
    },
    tryReserveSlot: take,
    markSlotUsed: () => undefined,
    releaseSlot() {
      used -= 1;
      const [next] = waiting;
      next?.();
    },
  };
}
