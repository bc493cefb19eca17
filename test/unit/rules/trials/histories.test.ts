import { drawPersonaFillers, type DrawingObserver } from '../../../../rules/trials/histories';
import type { Instance, PriorInteraction } from '../../../../schemas/dataset/instance';
import { ROWS_PER_FILE, type NumberedRow } from '../../../../schemas/evaluation/evaluation-run';
import type { PersonaFillers } from '../../../../schemas/evaluation/filler';
import { buildPersona } from '../history/personas';

const PERSONAS = [1, 2, 3].map((id) => buildPersona(id));
const SESSION = 'word '.repeat(300);
const LONG_SESSION = 'word '.repeat(4_100);

test('personas whose own history exceeds the tier are counted, and the longest is named', async () => {
  const [first = '', second = ''] = PERSONAS.map(([row]) => row?.persona_id ?? '');
  await expect(draw([33_000, 40_000, 9_000])).rejects.toThrow(
    `the own history of persona ${second} has 40,000 tokens already, and those of 1 other persona are too long as well.`,
  );
  await expect(draw([33_000, 9_000, 9_000])).rejects.toThrow(
    `the own history of persona ${first} has 33,000 tokens already. Name a longer history`,
  );
});

describe('the sessions that extend a history', () => {
  // Two files of rows, each with enough sessions for a history.
  const personas = Array.from({ length: 66 }, (_, at) => buildPersona(at + 1));
  const tokens = personas.map(() => 29_000);

  test('come from few files, because each file that is read takes time', async () => {
    const lines: string[] = [];
    const steps: unknown[] = [];
    const observer = {
      report: (line: string) => void lines.push(line),
      onDrawn: (step: object) => void steps.push({ ...step }),
    };
    const drawn = await draw(tokens, {
      personas,
      isExtended: isSelected,
      renderLog: () => SESSION,
      ...observer,
    });
    expect(drawn.map(({ rows }) => rows)).toEqual(
      Array.from({ length: 20 }, (_, at) => [3 * at + 1, 3 * at + 2, 3 * at + 3]),
    );
    for (const { fillers } of drawn) {
      // Beyond the 3,000 tokens that the longest row leaves.
      expect(fillers).toHaveLength(10);
      expect(new Set(fillers.map(({ row }) => Math.ceil(row / ROWS_PER_FILE))).size).toBe(1);
    }
    const places = drawn.flatMap(({ fillers }) => fillers);
    expect(places.every(({ row }) => row % 3 === 1)).toBe(true);
    expect(new Set(places.map(({ session }) => session))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
    expect(lines).toEqual([
      'Extending the histories of 20 personas to 32k tokens with sessions of other personas.',
    ]);
    expect(steps.at(0)).toEqual({ done: 1, total: 86 });
    expect(steps.at(-1)).toEqual({ done: 86, total: 86 });
  });

  test('are reported where they are left out', async () => {
    const lines: string[] = [];
    await draw(tokens, {
      personas,
      isExtended: isSelected,
      renderLog: lengthen('Answer 2'),
      report: (line) => void lines.push(line),
    });
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^Left out over all personas: \d+ sessions of more than 4,000 tokens\.$/),
    ]);
  });

  test('may be too few for the persona that has fewest, which the message says', async () => {
    await expect(draw([9_000, 10_000, 9_000], { renderLog: lengthen('Answer 3') })).rejects.toThrow(
      [
        '--history 32k: data has too few sessions of other personas. They suffice for 11,408 tokens.',
        'Left out for one persona: 8 sessions of more than 4,000 tokens.',
        'Name data with more personas: about 10.',
      ].join('\n'),
    );
  });
});

/** Selects the personas of the first twenty triples of rows. */
function isSelected({ number, instance_type }: NumberedRow): boolean {
  return number <= 60 && instance_type === 'changing';
}

/** Renders sessions that hold a text as longer than a filler may be. */
function lengthen(text: string): Options['renderLog'] {
  return (sessions) => (JSON.stringify(sessions).includes(text) ? LONG_SESSION : SESSION);
}

interface Options extends Partial<DrawingObserver> {
  readonly personas?: readonly Instance[][];
  readonly isExtended?: (row: NumberedRow) => boolean;
  readonly renderLog?: ((sessions: readonly PriorInteraction[]) => string) | undefined;
}

/** Draws the fillers of personas. The own history of the last row of each has this many tokens; those of the others are shorter. */
async function draw(
  tokens: readonly number[],
  {
    personas = PERSONAS,
    isExtended = () => true,
    renderLog = () => '',
    report = () => undefined,
    ...observer
  }: Options = {},
): Promise<PersonaFillers[]> {
  const rows = personas.flatMap((instances, at) =>
    instances.map((instance, place) => ({
      instance,
      priorTokens: (tokens[at] ?? 0) - 1_000 * (2 - place),
      synthesizer: null,
    })),
  );
  const index = rows.map(({ instance: { persona_id, instance_type } }, at) => ({
    number: at + 1,
    persona_id,
    instance_type,
  }));
  const get = (number: number) => {
    const row = rows[number - 1];
    if (row === undefined) throw new Error(`There is no row ${number}.`);
    return row;
  };
  return drawPersonaFillers(
    {
      index,
      source: 'data',
      instance: async (number) => get(number),
      persona: async (number) =>
        rows.filter(({ instance }) => instance.persona_id === get(number).instance.persona_id),
      renderLog,
    },
    isExtended,
    { tier: '32k', shortest: '32k', seed: 7, report, ...observer },
  );
}
