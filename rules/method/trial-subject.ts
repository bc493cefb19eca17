import { listOptions, type ChoiceOption } from '../choice/options';
import { computeLength, extendHistory, takeFillers } from '../history/build';
import type { TrialKey } from '../../engine/journal/key';
import type { PriorInteraction } from '../../schemas/dataset/instance';
import { getHistoryTier } from '../../schemas/evaluation/context';
import type { Filler } from '../../schemas/evaluation/filler';
import type { Trial } from './evaluation-work';
import type { VerifiedInstance } from './verification-questions';
import type { TrialSubject } from './evaluation-reader';

/** A row of an evaluated data set, with the tokens of its prior sessions. */
export interface EvaluatedRow extends VerifiedInstance {
  readonly priorTokens: number;
}

/** Rows of an evaluated data set. */
export interface EvaluatedRows<Row extends EvaluatedRow> {
  readonly inputs: { readonly settings: { readonly seed: number } };
  /** Returns a row, from 1. */
  instance(number: number): Promise<Row>;
  /** Returns every row of the persona of a row. */
  persona(number: number): Promise<readonly Row[]>;
  /** Returns the sessions that extend the history of a row, in the order in which they are added. */
  fillers(number: number): Promise<readonly Filler[]>;
}

/** Reads the subject of a trial, with the options if one of its cells is a choice. */
export async function readTrialSubject<Row extends EvaluatedRow>(
  rows: EvaluatedRows<Row>,
  trial: Pick<Trial, 'instance' | 'context' | 'cells'>,
): Promise<Row & TrialSubject> {
  const row = await readShownRow(rows, trial);
  const isChoice = trial.cells.some(({ task }) => task === 'choice');
  return isChoice ? { ...row, options: await readOptions(rows, trial.instance) } : row;
}

/** Reads a row with the history that a context shows: its own, or the extended one. */
export async function readShownRow<Row extends EvaluatedRow>(
  rows: EvaluatedRows<Row>,
  { instance: number, context }: Pick<TrialKey, 'instance' | 'context'>,
): Promise<Row> {
  const row = await rows.instance(number);
  const tier = getHistoryTier(context);
  if (tier === undefined) return row;
  const personaRows = await rows.persona(number);
  const fillers = takeFillers(await rows.fillers(number), personaRows.map(getOwnHistory), tier);
  const sessions: PriorInteraction[] = [];
  for (const filler of fillers) sessions.push(await readSession(rows, filler));
  const prior_interactions = extendHistory(row.instance, {
    rows: personaRows.map(({ instance }) => instance),
    fillers: sessions,
    seed: rows.inputs.settings.seed,
  });
  return {
    ...row,
    instance: { ...row.instance, prior_interactions },
    priorTokens: computeLength(getOwnHistory(row), fillers),
  };
}

/** Returns the length of a row's own history. */
export function getOwnHistory({ instance, priorTokens }: EvaluatedRow) {
  return { tokens: priorTokens, sessions: instance.prior_interactions.length };
}

async function readSession<Row extends EvaluatedRow>(
  rows: EvaluatedRows<Row>,
  { row, session }: Filler,
): Promise<PriorInteraction> {
  const stored = (await rows.instance(row)).instance.prior_interactions[session - 1];
  if (stored === undefined) throw new Error(`Row ${row} of the evaluated data has no session ${session}.`);
  return stored;
}

/** Reads the options of a choice in a row, which depend on all rows of its persona. */
export async function readOptions(
  { inputs, persona }: Pick<EvaluatedRows<EvaluatedRow>, 'inputs' | 'persona'>,
  row: number,
): Promise<ChoiceOption[]> {
  const rows = await persona(row);
  return listOptions(
    rows.map(({ instance }) => instance),
    inputs.settings.seed,
  );
}
