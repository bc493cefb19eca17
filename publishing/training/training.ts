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
 * @param location a run's folder; for preference pairs also an evaluation's
 * @throws DataError when it is none, or its run has no data sets yet
 */
export async function openTraining(
  location: string,
  format: TrainingFormat,
  selection: PersonaSelection | undefined,
): Promise<WriteTraining> {
  const personas = new TrainingPersonas(selection);
  const store = await openRunStore(location);
  if (!(await hasPlan(store))) {
    if (format !== 'preference-pairs' || !(await hasEvaluationPlan(store)))
      throw createFormatError(location, format);
    const pairs = await openResponsePairs(location, store, personas);
    return (...to) => writeTraining(pairs, ...to);
  }
  const run = await openTrainingRun(location, store);
  if (format === 'preference-pairs') {
    return openRows(location, run, personas, ANSWER_PAIR_COLUMNS, ANSWER_PAIRS, buildAnswerPairs);
  }
  if (format === 'sft') {
    const prompts = await loadPromptPack(undefined, [INFERENCE_PROMPT]);
    const { seed } = run.plan.inputs.settings;
    return openRows(location, run, personas, CHAT_COLUMNS, CHATS, ({ record }) =>
      buildChatRows(record, seed, prompts),
    );
  }
  return openRows(location, run, personas, TURN_COLUMNS, TURNS, async (persona) =>
    buildTurnRows(persona.record, await run.readReplies(persona)),
  );
}

function createFormatError(location: string, format: TrainingFormat): DataError {
  const alternative = format === 'preference-pairs' ? ' or the --results-dir of a cupid eval' : '';
  return new DataError(
    `${location} is not the folder of a run. --format ${format} needs one, because data sets have no scores of the assistant's answers. Name the --output-dir of a cupid synth${alternative}.`,
  );
}

function openRows<Row extends object>(
  source: string,
  { plan: { inputs }, card, readPersonas }: TrainingRun,
  personas: TrainingPersonas,
  columns: Columns<Row>,
  description: RowDescription<Row>,
  build: (persona: StoredPersona) => Row[] | Promise<Row[]>,
): WriteTraining {
  const { canary, simulated } = readCard(card);
  const data: TrainingData<Row> = {
    source,
    simulated: simulated === true || isSimulatedRun(inputs),
    columns,
    description,
    personas,
    remedy: 'Use data with more personas.',
    async *rows(split, signal) {
      for await (const persona of readPersonas()) {
        signal?.throwIfAborted();
        if (personas.place(persona.record.persona_id) === split) yield* await build(persona);
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
