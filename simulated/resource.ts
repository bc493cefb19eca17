import type { Random } from '../rules/sampling/random';
import { NAME_STOCKS } from './vocabulary/names';
import type { ResourceKind } from './vocabulary/requests';
import { CODE_PIECES, DRAFT_LINES, NOTE_LINES, ROW_LABELS, TABLE_HEADS } from './vocabulary/resources';
import { fill } from './words';

/** Something short that a user hands over with a request. */
export function makeResource(random: Random, kind: ResourceKind, topic: string): string {
  return MAKERS[kind](random, topic);
}

const MAKERS: Readonly<Record<ResourceKind, (random: Random, topic: string) => string>> = {
  note: (random) =>
    random
      .sample(NOTE_LINES, 4 + random.integer(4))
      .map((line) => `- ${fill(line, details(random))}`)
      .join('\n'),
  draft: (random, topic) => {
    const lines = random.sample(DRAFT_LINES, 4 + random.integer(3));
    return [
      `${random.pick(['Dear', 'Hello', 'Good morning'])} ${random.pick(random.pick(NAME_STOCKS).he)},`,
      lines.map((line) => fill(line, { ...details(random), topic })).join(' '),
      `${random.pick(['Regards', 'Best wishes', 'Many thanks', 'Until soon'])}, ${random.pick(random.pick(NAME_STOCKS).she)}`,
    ].join('\n\n');
  },
  code: (random) => {
    const numbers: Readonly<Record<string, string>> = details(random);
    // Code has braces of its own: only the two known slots are filled.
    return random.pick(CODE_PIECES).replaceAll(/\{([nd])\}/g, (_, name: string) => numbers[name] ?? '');
  },
  table: (random) => {
    const heads = random.pick(TABLE_HEADS);
    const labels = ROW_LABELS[heads[0] ?? ''] ?? ['1', '2', '3'];
    const scale = random.pick([10, 40, 200, 900]);
    const rows = labels
      .slice(0, 3 + random.integer(3))
      .map((label) => [label, ...heads.slice(1).map(() => String(scale + random.integer(scale)))]);
    return [heads, ...rows].map((cells) => cells.join(', ')).join('\n');
  },
};

function details(random: Random): { n: string; d: string; name: string } {
  return {
    n: String(5 + random.integer(24)),
    d: String(1 + random.integer(4)),
    name: random.pick(random.pick(NAME_STOCKS).she),
  };
}
