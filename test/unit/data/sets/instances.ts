import type { Instance } from '../../../../schemas/dataset/instance';
import { buildNumbered, buildSoundInstance } from '../tables/rows';

export function buildInstances(count: number): Instance[] {
  return buildNumbered(count, buildSoundInstance);
}

export function renderLines(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Gives the items one by one. */
export async function* stream<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
