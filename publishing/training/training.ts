import { ANSWER_PAIR_COLUMNS, CHAT_COLUMNS, type Columns, TURN_COLUMNS } from '../../data/tables/columns';
import { formatCode } from '../../data/card/markdown';
import { readCard } from '../../data/card/read';
import { hasEvaluationPlan } from '../../data/run/evaluation-plan';
import { hasPlan } from '../../data/run/inputs';
import { loadPromptPack } from '../../data/prompts/load';
import { DataError } from '../../data/store/data-error';
import { openRunStore } from '../../data/store/open-store';
import { isSimulatedRun, listModels } from '../../engine/model-facts/roles';
import type { TrainingFormat } from '../../schemas/dataset/export-format';
import type { StoredPersona } from '../../schemas/dataset/record';
import { formatModelName } from '../../schemas/model/model-spec';
import type { PersonaSelection } from '../export/selection';
import { ANSWER_PAIRS, CHATS, type RowDescription, TURNS } from './descriptions';
import { TrainingPersonas } from './personas';
import { buildAnswerPairs, buildChatRows, buildTurnRows, INFERENCE_PROMPT } from './rows';
import { openResponsePairs } from './responses';
import { openTrainingRun, type TrainingRun } from './run';
import { type TrainingData, writeTraining, type WriteTraining } from './write';

/**
 * Opens the data that training rows are made of.
 * @param given a run's folder; for preference pairs also an evaluation's
 * @throws DataError when it is none, or its run has no data sets yet
 */
export async function openTraining(
  given: string,
  format: TrainingFormat,
  selection: PersonaSelection | undefined,
): Promise<WriteTraining> {
  const personas = new TrainingPersonas(selection);
  const store = await openRunStore(given);
  if (!(await hasPlan(store))) {
    if (format !== 'preference-pairs' || !(await hasEvaluationPlan(store)))
      throw createFormatError(given, format);
    const pairs = await openResponsePairs(given, store, personas);
    return (...to) => writeTraining(pairs, ...to);
  }
  const run = await openTrainingRun(given, store);
  if (format === 'preference-pairs') {
    return openRows(given, run, personas, ANSWER_PAIR_COLUMNS, ANSWER_PAIRS, buildAnswerPairs);
  }
  if (format === 'sft') {
    const prompts = await loadPromptPack(undefined, [INFERENCE_PROMPT]);
    const { seed } = run.plan.inputs.settings;
    return openRows(given, run, personas, CHAT_COLUMNS, CHATS, ({ record }) =>
      buildChatRows(record, seed, prompts),
    );
  }
  return openRows(given, run, personas, TURN_COLUMNS, TURNS, async (stored) =>
    buildTurnRows(stored.record, await run.readReplies(stored)),
  );
}

function createFormatError(given: string, format: TrainingFormat): DataError {
  const orResults = format === 'preference-pairs' ? ' or the --results-dir of a cupid eval' : '';
  return new DataError(
    `${given} is not the folder of a run. --format ${format} needs one, because data sets have no scores of the assistant's answers. Name the --output-dir of a cupid synth${orResults}.`,
  );
}

function openRows<Row extends object>(
  source: string,
  { plan: { inputs }, card, readPersonas }: TrainingRun,
  personas: TrainingPersonas,
  columns: Columns<Row>,
  description: RowDescription<Row>,
  build: (stored: StoredPersona) => Row[] | Promise<Row[]>,
): WriteTraining {
  const { canary, simulated } = readCard(card);
  const data: TrainingData<Row> = {
    source,
    simulated: simulated === true || isSimulatedRun(inputs),
    columns,
    description,
    personas,
    async *rows(split, signal) {
      for await (const stored of readPersonas()) {
        signal?.throwIfAborted();
        if (personas.place(stored.record.persona_id) === split) yield* await build(stored);
      }
    },
    facts: [
      `Data set: run ${formatCode(inputs.id)}${canary === undefined ? '' : `, whose data sets have the GUID ${formatCode(canary)}`}.`,
      `Models that wrote the texts: ${[...new Set(listModels(inputs).map(formatModelName))].map(formatCode).join(', ')}.`,
    ],
    card,
  };
  return (...to) => writeTraining(data, ...to);
}
