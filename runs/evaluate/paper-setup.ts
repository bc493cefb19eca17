import { hashText } from '../../data/store/files';
import { isPaperData, readPaperNumbers } from '../../data/paper';
import { EXAMPLES_FILE, PREFMATCHER_PROMPT, type PromptName } from '../../data/prompts/files';
import type { EvaluatedData, EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { PaperPart, PaperSetup } from '../../schemas/evaluation/results';
import type { CellKey } from '../../schemas/evaluation/results/keys';
import { BUILT_IN_PROMPTS, type PromptPack } from '../../schemas/run/prompts';
import type { EvaluationStep } from '../../schemas/run/step';

/** Parts behind a cell's number. */
interface CellSetup extends Pick<
  CellKey,
  'task' | 'context' | 'evaluator' | 'evaluator_form' | 'decomposer'
> {
  /** Number of instances in the cell, whether scored or not. */
  readonly instances: number;
}

/** Temperature of the paper's decomposer, matcher and judge (A.1, A.2). */
const TEMPERATURE = 0;

/**
 * Compares a cell's set-up with the paper's: its 756 instances (3.3), and the prompts of its authors' program. Decomposer, matcher and
 * judge are GPT-4o of 20 November 2024 at temperature 0; or the matcher is PrefMatcher-7B (A.1, A.2).
 */
export function compareWithPaper(
  cell: CellSetup,
  data: Pick<EvaluatedData, 'source' | 'instances'>,
  pack: Pick<PromptPack, 'source' | 'prompts' | 'matcherExamples'>,
  steps: EvaluationSettings['steps'],
): PaperSetup {
  const { evaluator, matcher } = readPaperNumbers();
  const parts = { data: compareData(cell.instances, data), prompts: comparePrompts(listPrompts(cell), pack) };
  if (cell.task === 'choice') return parts;
  if (cell.task === 'generation')
    return { ...parts, judge: compareModel(cell.evaluator, evaluator, steps.judge) };
  return {
    ...parts,
    decomposer: compareModel(cell.decomposer ?? cell.evaluator, evaluator, steps.decompose),
    matcher: compareModel(
      cell.evaluator,
      cell.evaluator_form === 'prefmatcher' ? `openai-compatible:${matcher}` : evaluator,
      steps.match,
    ),
  };
}

/** Returns whether PrefMatcher gets the prompt that it was trained on (A.1). */
export function hasPrefMatcherPrompt(pack: Pick<PromptPack, 'source' | 'prompts'>): boolean {
  return comparePrompts([PREFMATCHER_PROMPT], pack) === 'paper';
}

function compareData(instances: number, data: Pick<EvaluatedData, 'source' | 'instances'>): PaperPart {
  if (!isPaperData(data)) return `other (${data.source})`;
  return instances === data.instances ? 'paper' : `other (${instances} of ${data.instances} instances)`;
}

function compareModel(
  name: string,
  paper: string,
  { temperature }: EvaluationSettings['steps'][EvaluationStep],
): PaperPart {
  if (name !== paper) return `other (${name})`;
  return temperature === TEMPERATURE ? 'paper' : `other (${name}, temperature ${temperature})`;
}

/** Lists the prompts behind a cell's number. */
function listPrompts({ task, context, evaluator_form }: CellSetup): (PromptName | typeof EXAMPLES_FILE)[] {
  const summarizer = context === 'summary' ? (['evaluation/interaction_summarizer'] as const) : [];
  if (task === 'choice') return [...summarizer, 'evaluation/preference_chooser'];
  if (task === 'generation') {
    const generator = context === 'preference' ? 'response_generator_with_preference' : 'response_generator';
    return [...summarizer, `evaluation/${generator}`, 'evaluation/response_judger'];
  }
  return [
    ...summarizer,
    'evaluation/preference_inferrer',
    'synthesis/preference_decomposer',
    ...(evaluator_form === 'prefmatcher'
      ? ([PREFMATCHER_PROMPT] as const)
      : (['evaluation/preference_matcher', EXAMPLES_FILE] as const)),
  ];
}

/** Compares prompts with the paper's; a pack that differs in some of them is named with these. */
function comparePrompts(
  names: readonly string[],
  pack: Pick<PromptPack, 'source' | 'prompts' | 'matcherExamples'>,
): PaperPart {
  const { prompts } = readPaperNumbers();
  const changedNames = names.filter(
    (name) => prompts[name] === undefined || hashPrompt(name, pack) !== prompts[name],
  );
  if (changedNames.length === 0) return 'paper';
  const isPartial = pack.source !== BUILT_IN_PROMPTS && changedNames.length < names.length;
  return `other (${pack.source}${isPartial ? `: ${changedNames.join(', ')}` : ''})`;
}

/** Hashes a prompt with each run of white space as one space, so that line breaks and indents do not matter. */
function hashPrompt(
  name: string,
  { prompts, matcherExamples = [] }: Pick<PromptPack, 'prompts' | 'matcherExamples'>,
): string {
  const prompt = prompts[name];
  const texts =
    name === EXAMPLES_FILE
      ? matcherExamples.flatMap(({ preference, checklist }) => [
          preference,
          ...checklist.flatMap(({ entry, label }) => [entry, label]),
        ])
      : [prompt?.system_prompt ?? '', prompt?.user_prompt ?? ''];
  const words = texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  return hashText(JSON.stringify(words));
}
