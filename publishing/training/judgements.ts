import { dirname } from 'node:path';
import * as z from 'zod';
import { readTableRows } from '../../data/readers/table';
import { parseRow } from '../../data/readers/parse-row';
import { formatCount } from '../../schemas/text/count-text';
import { PREFMATCHER_PROMPT } from '../../data/prompts/files';
import { loadPromptPack } from '../../data/prompts/load';
import { evaluationRowSchema } from '../../schemas/evaluation/evaluation';
import type { PromptPack } from '../../schemas/run/prompts';
import { describeRescore, readEvaluationResults } from '../../data/sets/results';
import type { StressAnalysis } from '../../schemas/evaluation/results/studies';
import { findPlan, requireResults } from '../export/results';

/** An evaluator's judgments of checklists and preferences. */
export interface Judgements {
  /** As it was given. */
  readonly source: string;
  /** The data set that was evaluated on, where the folder names it. */
  readonly data?: string;
  /** True when the data, a model or the evaluator were simulated. */
  readonly simulated: boolean;
  /** The evaluation's own where it kept them, so that a matcher is trained on what it would have been asked. */
  readonly prompts: PromptPack;
  /** Stress test of the evaluators; absent without one. */
  readonly stress?: StressAnalysis;
  /** Rows where an evaluator, not PrefMatcher, has matched both checklists; in the results' order. */
  readonly rows: () => AsyncGenerator<JudgedRow>;
}

const judgedSchema = evaluationRowSchema
  .pick({
    persona_id: true,
    instance_type: true,
    model: true,
    context: true,
    evaluator: true,
    simulated: true,
    true_preference: true,
    true_checklist: true,
  })
  .extend({
    inferred_preference: evaluationRowSchema.shape.inferred_preference.unwrap(),
    inferred_checklist: evaluationRowSchema.shape.inferred_checklist.unwrap(),
    true_labels: evaluationRowSchema.shape.true_labels.unwrap(),
    inferred_labels: evaluationRowSchema.shape.inferred_labels.unwrap(),
  })
  .superRefine((row, context) => {
    for (const list of ['true', 'inferred'] as const) {
      const [entries, labels] = [row[`${list}_checklist`].length, row[`${list}_labels`].length];
      if (entries === labels) continue;
      const message = `expected ${formatCount(entries, 'label')}, one for each entry, found ${labels}.`;
      context.addIssue({ code: 'custom', path: [`${list}_labels`], message });
    }
  });
export type JudgedRow = z.infer<typeof judgedSchema>;

/**
 * Opens the results of an evaluation.
 * @param location the evaluation's folder
 * @throws DataError when it has no results; the rows throw for one that is not as this program writes it
 */
export async function openJudgements(location: string, signal: AbortSignal | undefined): Promise<Judgements> {
  const path = await requireResults(location, 'the training data is made from its judgments.');
  let simulated = false;
  for await (const row of readJudgedRows(path, signal)) simulated ||= row.simulated;
  const plan = await findPlan(location);
  const stress = (await readEvaluationResults(location))?.analyses.stress;
  const storedPrompts = plan?.prompts.prompts[PREFMATCHER_PROMPT] === undefined ? undefined : plan.prompts;
  return {
    source: location,
    ...(plan !== undefined && { data: plan.inputs.data.source }),
    ...(stress !== undefined && { stress }),
    simulated,
    prompts: storedPrompts ?? (await loadPromptPack(undefined, [PREFMATCHER_PROMPT])),
    rows: () => readJudgedRows(path, signal),
  };
}

const columns = [
  ...Object.keys(judgedSchema.shape),
  'task',
  'state',
  'evaluator_form',
] as const satisfies readonly string[];

/** By which a row is chosen before anything else of it is looked at. */
const choosingSchema = evaluationRowSchema.pick({ task: true, state: true, evaluator_form: true });

async function* readJudgedRows(path: string, signal: AbortSignal | undefined): AsyncGenerator<JudgedRow> {
  const remedy = describeRescore(path);
  for await (const { number, value } of readTableRows({ path, name: path, within: dirname(path) }, columns)) {
    signal?.throwIfAborted();
    const place = `${path}, row ${number}`;
    const { task, state, evaluator_form: form } = parseRow(choosingSchema, value, place, remedy);
    if (task !== 'inference' || state !== 'scored' || form !== 'evaluator') continue;
    yield parseRow(judgedSchema, value, place, remedy);
  }
}
