import { openStoredRows, writeInstances, type StoredInstance } from '../../data/run/evaluation-plan';
import { writeHistories } from '../../data/run/histories';
import { renderInteractionLog } from '../../data/prompts/evaluation-values';
import type { DrawnHistory } from '../../data/card/history';
import { createFolderStore } from '../../data/store/store';
import { readShownRow } from '../../rules/method/trial-subject';
import { createTokenCounter } from '../../rules/statistics/tokens';
import { drawPersonaFillers } from '../../rules/trials/histories';
import type { Instance } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { HistoryTier } from '../../schemas/evaluation/context';
import { DEFAULT_SEED } from '../../schemas/run/settings';
import type { ExportSource } from './source';

/** Histories that sessions of other personas extend. */
export interface LongHistory extends DrawnHistory {
  /** Returns a row of the data set with its extended history. */
  readonly extend: (row: Instance) => Promise<Instance>;
}

interface HistoryRequest {
  readonly tier: HistoryTier;
  /** Returns whether the histories of a persona are extended. */
  readonly has: (personaId: string) => boolean;
  /** Name of the data set, for messages. */
  readonly name: string;
  readonly report: (line: string) => void;
}

/**
 * Draws the sessions that extend the histories of a data set. They are those of a new evaluation with the same seed, because its rows are stored and
 * read in the same way.
 * @param folder an empty one, in which the rows stay until the last history is built
 * @param source all rows of the data set
 * @throws InputError for histories that are longer than the tier, and for data that are too small for it
 */
export async function openHistory(
  folder: string,
  source: Pick<ExportSource<Instance>, 'rows'>,
  { tier, has, name, report }: HistoryRequest,
): Promise<LongHistory> {
  const store = createFolderStore(folder);
  await writeInstances(store, addFacts(source.rows()));
  const rows = await openStoredRows(store, 1);
  const seed = DEFAULT_SEED;
  const histories = await drawPersonaFillers(
    { ...rows, source: name, renderLog: renderInteractionLog },
    ({ persona_id: persona }) => has(persona),
    { tier, shortest: tier, seed, report },
  );
  await writeHistories(store, histories);
  const numbers = new Map(rows.index.map((row) => [buildInstanceKey(row), row.number]));
  return {
    tier,
    seed,
    async extend(row) {
      const number = numbers.get(buildInstanceKey(row));
      if (number === undefined) throw new Error(`${name} changed while it was read. Repeat the command.`);
      const trial = { instance: number, context: `full@${tier}` } as const;
      return (await readShownRow({ ...rows, inputs: { settings: { seed } } }, trial)).instance;
    },
  };
}

/** Yields the rows with the histories that an export shows: the data's own, or extended ones. */
export async function* showRows(
  { rows }: Pick<ExportSource<Instance>, 'rows'>,
  history: LongHistory | undefined,
): AsyncGenerator<Instance> {
  for await (const row of rows()) yield history === undefined ? row : await history.extend(row);
}

async function* addFacts(rows: AsyncIterable<Instance>): AsyncGenerator<StoredInstance> {
  const countTokens = createTokenCounter();
  for await (const instance of rows) {
    const priorTokens = countTokens(renderInteractionLog(instance.prior_interactions));
    yield { instance, priorTokens, synthesizer: null };
  }
}
