import type { Instance } from '../../../../schemas/dataset/instance';
import { numbered, soundInstance } from '../tables/rows';

export function instances(count: number): Instance[] {
  return numbered(count, soundInstance);
}

export function linesOf(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
