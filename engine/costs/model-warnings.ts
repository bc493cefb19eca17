import { formatModelName } from '../../schemas/model/model-spec';
import type { ModelTable } from '../../schemas/model/model-table';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { findPrice } from './prices';

/**
 * Warns of an assistant that is as strong as the model that generates the data. The paper uses a weaker one (B.4), because it needs more turns, so
 * the user's preference shows more often. Strength is judged by the price of output, the only measure known for all models.
 */
export function findAssistantWarning(
  models: SynthesisSettings['models'],
  table: ModelTable,
): string | undefined {
  const [assistant, synthesis] = [formatModelName(models.assistant), formatModelName(models.synthesis)];
  if (assistant.startsWith('simulated:')) return undefined;
  const advice =
    'A weaker assistant needs more turns, in which the user reveals more of the preference (paper, B.4). Consider a smaller model for --assistant-model.';
  if (assistant === synthesis) return `${assistant} plays the assistant and generates the data. ${advice}`;
  const [assistantPrice, synthesisPrice] = [
    findPrice(models.assistant, table)?.output,
    findPrice(models.synthesis, table)?.output,
  ];
  return assistantPrice !== undefined &&
    synthesisPrice !== undefined &&
    assistantPrice > 0 &&
    assistantPrice >= synthesisPrice
    ? `${assistant}, which plays the assistant, costs as much as ${synthesis}, which generates the data, or more. ${advice}`
    : undefined;
}

/** Warns of evaluators of the same family as the model that generated the data, because models tend to favor texts of their own family. */
export function listEvaluatorWarnings(
  evaluators: readonly string[],
  synthesizers: Iterable<string | null>,
): string[] {
  const generated = [...new Set(synthesizers)].filter((name) => name !== null);
  return evaluators.flatMap((evaluator) => {
    const family = findFamily(evaluator);
    const relatedModel = generated.find((name) => family !== undefined && findFamily(name) === family);
    return relatedModel === undefined
      ? []
      : [
          `${formatModelName(evaluator)} judges data that ${relatedModel} generated, a model of the same family. Judges favor texts of their own family: use an evaluator of another family, or add a second evaluator.`,
        ];
  });
}

/** Returns the family that a model's name indicates, at any provider. */
function findFamily(name: string): string | undefined {
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/claude/i, 'claude'],
  [/\bgpt-|:o[134]\b/i, 'gpt'],
  [/gemini|gemma/i, 'gemini'],
  [/llama/i, 'llama'],
  [/qwen/i, 'qwen'],
  [/mi(s|x)tral|ministral/i, 'mistral'],
  [/deepseek/i, 'deepseek'],
  [/\bnova\b/i, 'nova'],
];
