import { separateText } from '../schemas/model/answer-text';
import type { ModelFacts } from '../schemas/model/model-table';
import type { ModelAnswer, ModelRequest } from './model';

/** Separates the answer from the rest of a provider's text. All answers pass through it. */
type AnswerSeparator = (
  answer: ModelAnswer,
  request: Pick<ModelRequest, 'maxTokens'>,
  facts: ModelFacts,
) => ModelAnswer;

/**
 * Creates the separator for one model's answers, in the order they arrive. If the model's chat template begins the reasoning, the first answer
 * that ends it shows that.
 */
export function createAnswerSeparator(): AnswerSeparator {
  let beginsInTemplate = false;
  return (answer, { maxTokens }, facts) => {
    const { text, reasoning } = separateText(answer.text);
    beginsInTemplate ||= reasoning === 'unopened';
    const separated = text === answer.text ? answer : { ...answer, text, raw: answer.text };
    if (answer.finish === 'refused' || answer.finish === 'failed') return separated;
    if (reasoning === 'unfinished') return { ...separated, finish: 'reasoning' };
    if (answer.finish !== 'length') return separated;
    if (reasoning === undefined && beginsInTemplate)
      return { ...answer, text: '', raw: answer.text, finish: 'reasoning' };
    const isCutByReasoning =
      (reasoning !== undefined && text === '') || leftNoRoom(separated, maxTokens, facts);
    return isCutByReasoning ? { ...separated, finish: 'reasoning' } : separated;
  };
}

/** Returns true if reasoning left no room for the text, which was cut off below its own limit. */
function leftNoRoom({ text, usage }: ModelAnswer, maxTokens: number, facts: ModelFacts): boolean {
  const { output, reasoning } = usage;
  // Tokens without any text were reasoning that the server hides.
  if (reasoning === undefined || output === undefined)
    return text.trim() === '' && (facts.reasoning?.counts === true || (output ?? 0) > 0);
  return reasoning > 0 && output - reasoning < maxTokens;
}
