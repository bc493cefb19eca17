import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type BenchmarkConfig, withBenchmark } from '../../data/card/benchmark';
import { renderInteractionLog, renderJudgeChecklist } from '../../data/prompts/evaluation-values';
import { loadPromptPack } from '../../data/prompts/load';
import { renderLeadingText, renderPrompt } from '../../data/prompts/render';
import { readInstances } from '../../data/readers/read';
import type { DataSet } from '../../data/sets/data-set';
import { DataError } from '../../data/sets/error';
import { findKind } from '../../data/sets/kinds';
import { writeSynced } from '../../data/store/store';
import { CHOICE_COLUMNS, type Columns, GENERATION_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { ChoiceQuestions } from '../../rules/choice/questions';
import type { ChoiceQuestion, GenerationQuestion } from '../../schemas/dataset/benchmark';
import type { Instance } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { PromptPack } from '../../schemas/run/prompts';
import { type Watch, watchRows } from '../watch';

/** A benchmark's files, with their paths in the repository and on this machine. */
export interface Benchmark {
  readonly card: string;
  readonly files: readonly { readonly path: string; readonly file: string }[];
}

interface BenchmarkRequest {
  readonly dataSet: DataSet;
  /** Paths of its files in the repository. */
  readonly paths: readonly string[];
  readonly card: string;
  /** `owner/name` */
  readonly repo: string;
}

/** Description of a benchmark, in the root of its repository. */
export const EVAL_FILE = 'eval.yaml';

/**
 * Writes the questions of a data set as configurations of it, and `eval.yaml`, by which Inspect runs them.
 * @throws DataError for records, or a row that is not sound
 */
export async function writeBenchmark(
  folder: string,
  { dataSet, paths, card, repo }: BenchmarkRequest,
  watch: Watch,
): Promise<Benchmark> {
  if ((await findKind(dataSet)) === 'records') {
    throw new DataError(
      `${dataSet.source} has records, and --benchmark needs instances. Name the instances.`,
    );
  }
  const pack = await loadPromptPack(undefined, [CHOOSER, RESPONDER]);
  const instances = () => watchRows(readInstances(dataSet), watch);
  const questions = new ChoiceQuestions();
  for await (const instance of instances()) questions.add(instance);
  const write = async <Row extends object>(
    name: BenchmarkConfig['name'],
    columns: Columns<Row>,
    rows: AsyncGenerator<Row>,
  ): Promise<BenchmarkConfig> => {
    const path = `${name}/test.parquet`;
    await mkdir(join(folder, name));
    return {
      name,
      columns,
      files: { path, ...(await writeParquet(join(folder, path), columns, rows, dataSet)) },
    };
  };
  const configs = [
    await write('choice', CHOICE_COLUMNS, listChoices(instances(), questions.end(), pack)),
    await write('generation', GENERATION_COLUMNS, listGenerations(instances(), pack)),
  ];
  await writeSynced(join(folder, EVAL_FILE), stringify(buildEvalFile(repo)));
  return {
    card: withBenchmark(card, repo, paths, configs),
    files: [...configs.map(({ files }) => files.path), EVAL_FILE].map((path) => ({
      path,
      file: join(folder, path),
    })),
  };
}

const CHOOSER = 'evaluation/preference_chooser';
const RESPONDER = 'evaluation/response_generator';

async function* listChoices(
  instances: AsyncIterable<Instance>,
  questions: ReturnType<ChoiceQuestions['end']>,
  pack: PromptPack,
): AsyncGenerator<ChoiceQuestion> {
  const { system_prompt: system = '', user_prompt: user = '' } = pack.prompts[CHOOSER] ?? {};
  for await (const instance of instances) {
    const { persona_id, instance_type } = instance;
    const question = questions.get(buildInstanceKey(instance));
    if (question === undefined) continue;
    // Inspect adds the options, and how to answer.
    const text = renderLeadingText(user, buildHistoryValues(instance));
    const input = `${system}\n\n${text}`.trim();
    yield { persona_id, instance_type, input, choices: [...question.choices], answer: question.answer };
  }
}

async function* listGenerations(
  instances: AsyncIterable<Instance>,
  pack: PromptPack,
): AsyncGenerator<GenerationQuestion> {
  for await (const instance of instances) {
    const { persona_id, instance_type, current_contextual_preference: preference } = instance;
    const { system, user = '' } = renderPrompt(pack, RESPONDER, buildHistoryValues(instance));
    yield {
      persona_id,
      instance_type,
      input: `${system}\n\n${user}`.trim(),
      target: `The response satisfies this preference of the user: ${preference}\n\nIn detail:\n${renderJudgeChecklist(instance.current_checklist)}`,
    };
  }
}

function buildHistoryValues({ prior_interactions, current_request }: Instance): Record<string, string> {
  return { interaction_log: renderInteractionLog(prior_interactions), curr_request: current_request };
}

/** Builds `eval.yaml` in the Hub's form. */
function buildEvalFile(repo: string): object {
  return {
    name: repo.split('/').at(-1),
    description:
      'Preferences that depend on context: whether a model infers from earlier dialogues what a user expects of a response (CUPID).',
    evaluation_framework: 'inspect-ai',
    tasks: [
      {
        id: 'choice',
        config: 'choice',
        split: 'test',
        field_spec: { input: 'input', target: 'answer', choices: 'choices' },
        solvers: [{ name: 'multiple_choice' }],
        scorers: [{ name: 'choice' }],
      },
      {
        id: 'generation',
        config: 'generation',
        split: 'test',
        field_spec: { input: 'input', target: 'target' },
        solvers: [{ name: 'generate' }],
        scorers: [{ name: 'model_graded_qa' }],
      },
    ],
  };
}
