import { array, constant, jsonValue, nat, noBias, oneof, record, type Arbitrary } from 'fast-check';

/** A change of a JSON value: something replaces the value at a place within it. */
export interface Change {
  /** Index of the place, modulo the number of places. */
  readonly at: number;
  readonly by: 'drop' | 'repeat' | 'swap' | { readonly value: unknown };
}

export const changes: Arbitrary<readonly Change[]> = array(
  record({
    // `noBias`, because small numbers, which fast-check prefers, would leave most places unchanged.
    at: noBias(nat(1_000_000)),
    by: oneof(
      constant('drop' as const),
      constant('repeat' as const),
      constant('swap' as const),
      record({ value: oneof(jsonValue(), constant('zzz'), constant(0), constant(-1), constant(1e308)) }),
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Returns the JSON value with these changes. */
export function changeJson(value: unknown, by: readonly Change[]): unknown {
  const copy: Record<string, unknown> = { value: structuredClone(value) };
  for (const change of by) applyTo(copy, change);
  return copy['value'];
}

function applyTo(root: Record<string, unknown>, { at, by }: Change): void {
  const places = placesIn(root);
  const place = places[at % places.length];
  if (place === undefined) return;
  const { holder, name } = place;
  if (typeof by === 'object') {
    holder[name] = structuredClone(by.value);
    return;
  }
  if (Array.isArray(holder)) {
    const index = Number(name);
    const [one, next] = [holder[index] as unknown, holder[index + 1] as unknown];
    if (by === 'drop') holder.splice(index, 1);
    else if (by === 'repeat') holder.splice(index, 0, structuredClone(one));
    else if (index + 1 < holder.length) holder.splice(index, 2, next, one);
  } else if (by === 'drop') {
    delete holder[name];
  }
}

function placesIn(root: Record<string, unknown>): { holder: Record<string, unknown>; name: string }[] {
  const places: { holder: Record<string, unknown>; name: string }[] = [];
  const walk = (holder: Record<string, unknown>) => {
    for (const [name, below] of Object.entries(holder)) {
      places.push({ holder, name });
      if (isObject(below)) walk(below);
    }
  };
  walk(root);
  return places;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
