import { renderStressOf } from '../../data/card/evaluation';
import { formatCode } from '../../data/card/markdown';
import { renderInteractionLog } from '../../data/prompts/evaluation-values';
import { renderPrompt } from '../../data/prompts/render';
import { readParsedRows } from '../../data/readers/parquet-table';
import { openEvaluation } from '../../data/run/evaluation-plan';
import { DataError } from '../../data/store/data-error';
import type { Store } from '../../data/store/store';
import { RESPONSE_PAIR_COLUMNS } from '../../data/tables/columns';
import { groupBy } from '../../rules/group-by';
import { findShownSessions } from '../../rules/instances/shown-sessions';
import { readShownRow } from '../../rules/method/trial-subject';
import { formatResultName } from '../../rules/trials/rows';
import type { Instance } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { Chat, ResponsePairRow } from '../../schemas/training/training';
import { getContextForm, type HistoryForm } from '../../schemas/evaluation/context';
import { type EvaluationRow, evaluationRowSchema, ROW_KEY } from '../../schemas/evaluation/evaluation';
import { hasSimulated } from '../../schemas/model/model-spec';
import type { PromptPack } from '../../schemas/run/prompts';
import { describeRescore, readEvaluationResults } from '../../data/sets/results';
import { requireResults } from '../export/results';
import { RESPONSE_PAIRS } from './descriptions';
import type { TrainingPersonas } from './personas';
import type { TrainingData } from './write';

const responseSchema = evaluationRowSchema.pick({
  ...ROW_KEY,
  state: true,
  score: true,
  response: true,
});

/** A response of a model with its judged score. */
export type JudgedResponse = Pick<EvaluationRow, 'model' | 'context' | 'evaluator'> & {
  readonly score: number;
  readonly response: string;
};

/**
 * Opens the responses of an evaluation.
 * @param store of its folder
 * @throws DataError when the folder has no results
 */
export async function openResponsePairs(
  location: string,
  store: Store,
  personas: TrainingPersonas,
): Promise<TrainingData<ResponsePairRow>> {
  const path = await requireResults(location, 'the pairs are made from its responses.');
  const evaluation = await openEvaluation(store);
  const { inputs, index, prompts } = evaluation;
  for (const { persona_id: id } of index) personas.place(id);
  const stress = (await readEvaluationResults(location))?.analyses.stress;
  const evaluated = new Map(index.map((row) => [buildInstanceKey(row), row]));
  return {
    source: location,
    simulated: inputs.data.simulated === true || hasSimulated([...inputs.models, ...inputs.evaluators]),
    columns: RESPONSE_PAIR_COLUMNS,
    description: RESPONSE_PAIRS,
    personas,
    async *rows(split, signal) {
      for await (const [key, responses] of readResponses(path)) {
        signal?.throwIfAborted();
        const row = evaluated.get(key);
        if (row === undefined) throw createForeignError(path, location);
        if (personas.place(row.persona_id) !== split) continue;
        for (const [context, group] of groupBy(responses, (response) => response.context)) {
          const { instance } = await readShownRow(evaluation, { instance: row.number, context });
          yield* buildResponsePairs(instance, group, prompts);
        }
      }
    },
    remedy:
      'A pair has responses of two models with different scores: cupid eval --task both --model SPEC SPEC --evaluator SPEC.',
    facts: [
      `Evaluated data set: ${formatCode(inputs.data.source)}.`,
      `Models that wrote the responses: ${inputs.models.map((spec) => formatCode(formatResultName(inputs.models, spec))).join(', ')}.`,
      ...renderStressOf(stress, ['judge'], 'scores'),
    ],
  };
}

function createForeignError(path: string, folder: string): DataError {
  return new DataError(
    `${path} has rows of instances that were not evaluated in ${folder}. ${describeRescore(path)}`,
  );
}

/** Reads the judged responses to each instance, whose rows are together, by the key of the instance. */
async function* readResponses(path: string): AsyncGenerator<readonly [string, JudgedResponse[]]> {
  let last: readonly [string, JudgedResponse[]] | undefined;
  for await (const { row } of readParsedRows(path, responseSchema, describeRescore(path))) {
    const { task, state, score, response } = row;
    if (task !== 'generation' || state !== 'scored' || score === null || response === null) continue;
    const key = buildInstanceKey(row);
    if (last !== undefined && last[0] !== key) yield last;
    if (last?.[0] !== key) last = [key, []];
    last[1].push({ ...row, score, response });
  }
  if (last !== undefined) yield last;
}

/** Builds pairs of responses to the same prompt with different scores of the same judge. */
export function buildResponsePairs(
  instance: Instance,
  responses: readonly JudgedResponse[],
  prompts: PromptPack,
): ResponsePairRow[] {
  const comparable = groupBy(responses, ({ context, evaluator }) => JSON.stringify([context, evaluator]));
  return [...comparable.values()].flatMap((group) =>
    group.flatMap((first, at) =>
      group.slice(at + 1).flatMap((second): ResponsePairRow[] => {
        const [rejected, chosen] = first.score < second.score ? [first, second] : [second, first];
        if (chosen.score === rejected.score || chosen.response === rejected.response) return [];
        const prompt = findPrompt(instance, first.context, prompts);
        if (prompt === undefined) return [];
        return [
          {
            prompt,
            chosen: [{ role: 'assistant', content: chosen.response }],
            rejected: [{ role: 'assistant', content: rejected.response }],
            chosen_score: chosen.score,
            rejected_score: rejected.score,
            persona_id: instance.persona_id,
            instance_type: instance.instance_type,
            context: first.context,
            judge: first.evaluator,
            chosen_model: chosen.model,
            rejected_model: rejected.model,
          },
        ];
      }),
    ),
  );
}

/** Returns the prompt that every model was asked with; undefined if each was shown its own summaries. */
function findPrompt(instance: Instance, context: HistoryForm, prompts: PromptPack): Chat | undefined {
  const sessions = findShownSessions(instance, getContextForm(context));
  if (sessions === undefined) return undefined;
  const request = { curr_request: instance.current_request };
  const { system, user = '' } =
    context === 'preference'
      ? renderPrompt(prompts, 'evaluation/response_generator_with_preference', {
          ...request,
          preference: instance.current_contextual_preference,
        })
      : renderPrompt(prompts, 'evaluation/response_generator', {
          ...request,
          interaction_log: renderInteractionLog(sessions),
        });
  return [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ];
}
