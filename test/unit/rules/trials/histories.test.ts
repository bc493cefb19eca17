import { drawPersonaFillers } from '../../../../rules/trials/histories';
import type { Instance } from '../../../../schemas/dataset/instance';
import { ROWS_PER_FILE } from '../../../../schemas/evaluation/evaluation-run';
import type { PersonaFillers } from '../../../../schemas/evaluation/filler';
import { buildPersona } from '../history/personas';

const PERSONAS = [1, 2, 3].map((id) => buildPersona(id));

test('personas whose own history exceeds the tier are counted, and the longest is named', async () => {
  const [first = '', second = ''] = PERSONAS.map(([row]) => row?.persona_id ?? '');
  await expect(draw([33_000, 40_000, 9_000])).rejects.toThrow(
    `the own history of persona ${second} has 40,000 tokens already, and those of 1 other persona are too long as well.`,
  );
  await expect(draw([33_000, 9_000, 9_000])).rejects.toThrow(
    `the own history of persona ${first} has 33,000 tokens already. Name a longer history`,
  );
});

test('the sessions that extend a history come from few files, because each file that is read takes time', async () => {
  // Two files of rows, each with enough sessions for a history.
  const personas = Array.from({ length: 66 }, (_, at) => buildPersona(at + 1));
  const drawn = await draw(
    personas.map(() => 29_000),
    { personas, log: 'word '.repeat(300) },
  );
  expect(drawn).toHaveLength(personas.length);
  for (const { fillers } of drawn) {
    expect(new Set(fillers.map(({ row }) => Math.ceil(row / ROWS_PER_FILE))).size).toBe(1);
    expect(fillers).toHaveLength(10);
  }
});

/** Draws the fillers of all personas, whose own histories have this many tokens. @param log text of a session */
async function draw(
  tokens: readonly number[],
  {
    personas = PERSONAS,
    log = '',
  }: { readonly personas?: readonly Instance[][]; readonly log?: string } = {},
): Promise<PersonaFillers[]> {
  const rows = personas.flatMap((instances, at) =>
    instances.map((instance) => ({ instance, priorTokens: tokens[at] ?? 0, synthesizer: null })),
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
      renderLog: () => log,
    },
    () => true,
    { tier: '32k', shortest: '32k', seed: 7, report: () => undefined },
  );
}
