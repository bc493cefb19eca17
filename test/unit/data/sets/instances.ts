import type { Instance } from '../../../../schemas/instance';
import { pick } from '../tables/rows';

/** A sound row, unlike its neighbours, with texts that are easily spoilt on the way. */
export function instance(number: number): Instance {
  return {
    persona_id: `${number}+real_estate_developer`,
    instance_type: pick(['consistent', 'contrastive', 'changing'], number),
    current_request: textOf(number),
    current_context_factor: textOf(number + 1),
    current_contextual_preference: textOf(number + 2),
    current_checklist: Array.from({ length: 1 + (number % 4) }, (_, index) => textOf(number + index)),
    prior_interactions: Array.from({ length: 1 + (number % 3) }, (_, index) => ({
      context_factor: textOf(index),
      contextual_preference: textOf(number + index),
      dialogue: Array.from({ length: 1 + ((number + index) % 4) }, (_unused, turn) => ({
        role: pick(['user', 'assistant'], turn),
        content: turn === 1 ? '' : textOf(number + turn),
      })),
    })),
  };
}

export function instances(count: number): Instance[] {
  return Array.from({ length: count }, (_, number) => instance(number));
}

export function linesOf(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const TEXTS = [
  'plain',
  ' two\nlines\r\nand a\ttab ',
  'quotes " \' ` and a back\\slash, {braces}, <tags>, 50 %',
  'Zürich, Ελλάδα, 東京, العربية',
  '😀 👩‍👩‍👧‍👦 \u{10ffff}',
  '\ufeffe\u0301 is not \u00e9; \u0000 and \ufeff stay',
  'null',
  'long '.repeat(2_000),
];

function textOf(number: number): string {
  return pick(TEXTS, number);
}
