import { separateText } from '../schemas/model/answer-text';
import type { ModelFacts } from '../schemas/model/model-table';
import type { ModelAnswer, ModelRequest } from './model';

/** Takes apart what a provider answered: the one place where it becomes an answer. */
type AnswerSeparator = (
  answer: ModelAnswer,
  request: Pick<ModelRequest, 'maxTokens'>,
  facts: ModelFacts,
) => ModelAnswer;

/**
 * For the answers of one model, in the order they arrive: a model whose chat template begins the reasoning is recognized by the first answer
 * that ends it.
 */
export function createAnswerSeparator(): AnswerSeparator {
  let beginsInTemplate = false;
  return (answer, { maxTokens }, facts) => {
    const { text, reasoning } = separateText(answer.text);
    beginsInTemplate ||= reasoning === 'unopened';
    const separated = text === answer.text ? answer : { ...answer, text, raw: answer.text };
    if (answer.finish === 'refused') return separated;
    if (reasoning === 'unfinished') return { ...separated, finish: 'reasoning' };
    if (answer.finish !== 'length') return separated;
    if (reasoning === undefined && beginsInTemplate)
      return { ...answer, text: '', raw: answer.text, finish: 'reasoning' };
    const isCutByReasoning =
      (reasoning !== undefined && text === '') || leftNoRoom(separated, maxTokens, facts);
    return isCutByReasoning ? { ...separated, finish: 'reasoning' } : separated;
  };
}

/** Returns true if reasoning left no room for the text that was cut off: it is shorter than its own limit. */
function leftNoRoom({ text, usage }: ModelAnswer, maxTokens: number, facts: ModelFacts): boolean {
  const { output, reasoning } = usage;
  if (reasoning === undefined || output === undefined)
    return text.trim() === '' && facts.reasoning?.counts === true;
  return reasoning > 0 && output - reasoning < maxTokens;
}
