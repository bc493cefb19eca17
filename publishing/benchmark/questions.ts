import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchmarkConfig } from '../../data/card/benchmark';
import { renderInteractionLog, renderJudgeChecklist } from '../../data/prompts/evaluation-values';
import { loadPromptPack } from '../../data/prompts/load';
import { renderLeadingText, renderPrompt } from '../../data/prompts/render';
import { CHOICE_COLUMNS, type Columns, GENERATION_COLUMNS } from '../../data/tables/columns';
import { writeParquet } from '../../data/tables/parquet';
import { ChoiceQuestions } from '../../rules/choice/questions';
import {
  type ChoiceQuestion,
  formatQuestionsPath,
  type GenerationQuestion,
} from '../../schemas/dataset/benchmark';
import type { Instance } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { PromptPack } from '../../schemas/run/prompts';
import { type LongHistory, showRows } from '../export/history';
import type { ExportSource } from '../export/source';

type Instances = Pick<ExportSource<Instance>, 'rows' | 'simulated' | 'canary'>;

/** Questions of a task: the name of their configuration, and the histories that they show if these are not the data's own. */
interface QuestionsForm {
  readonly name: string;
  readonly history: LongHistory | undefined;
}

/** Writes the questions of the task `choice`, in the form that the card describes. The options are those of the data's own histories. */
export async function writeChoices(
  folder: string,
  source: Instances,
  { name, history }: QuestionsForm,
): Promise<BenchmarkConfig> {
  const questions = new ChoiceQuestions();
  for await (const instance of source.rows()) questions.add(instance);
  const rows = listChoices(showRows(source, history), questions.end(), await readChooser());
  return writeConfig(folder, source, { name, task: 'choice', columns: CHOICE_COLUMNS, rows });
}

/** Writes the questions of the task `generation`, in the form that the card describes. */
export async function writeGenerations(
  folder: string,
  source: Instances,
  { name, history }: QuestionsForm,
): Promise<BenchmarkConfig> {
  const pack = await loadPromptPack(undefined, [RESPONDER]);
  const rows = listGenerations(showRows(source, history), pack);
  return writeConfig(folder, source, { name, task: 'generation', columns: GENERATION_COLUMNS, rows });
}

/** Returns what `eval` asks below the options of a choice: the form of the answer. */
export async function readChoiceInstruction(): Promise<string> {
  const { user } = await readChooser();
  return user.slice(user.indexOf(OPTIONS) + OPTIONS.length).trim();
}

const CHOOSER = 'evaluation/preference_chooser';
const RESPONDER = 'evaluation/response_generator';
const OPTIONS = '{options}';

async function readChooser(): Promise<{ readonly system: string; readonly user: string }> {
  const { prompts } = await loadPromptPack(undefined, [CHOOSER]);
  const { system_prompt: system = '', user_prompt: user = '' } = prompts[CHOOSER] ?? {};
  return { system, user };
}

interface ConfigRows<Row extends object> extends Pick<BenchmarkConfig, 'name' | 'task'> {
  readonly columns: Columns<Row>;
  readonly rows: AsyncGenerator<Row>;
}

async function writeConfig<Row extends object>(
  folder: string,
  marks: Instances,
  { name, task, columns, rows }: ConfigRows<Row>,
): Promise<BenchmarkConfig> {
  const path = formatQuestionsPath(name);
  await mkdir(join(folder, name));
  return {
    name,
    task,
    columns,
    files: { path, ...(await writeParquet(join(folder, path), columns, rows, marks)) },
  };
}

async function* listChoices(
  instances: AsyncIterable<Instance>,
  questions: ReturnType<ChoiceQuestions['end']>,
  { system, user }: Awaited<ReturnType<typeof readChooser>>,
): AsyncGenerator<ChoiceQuestion> {
  for await (const instance of instances) {
    const { persona_id, instance_type } = instance;
    const question = questions.get(buildInstanceKey(instance));
    if (question === undefined) continue;
    // Other programs add the options, and how to answer.
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
