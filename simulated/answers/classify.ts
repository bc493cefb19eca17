import type { ModelRequest } from '../../models/model';
import { ERROR_TYPES, type ErrorType } from '../../schemas/evaluation';
import { coverage } from '../coverage';
import { expectationsIn, type Expectation } from '../expectation';
import { ERROR_EXPLANATIONS } from '../vocabulary/inferences';
import { wordOverlap } from '../word-overlap';

/** Which of the four kinds of error an inferred preference is (paper, table 2): what most of its parts are. */
export function answerClassify(request: ModelRequest): string {
  const { values } = request;
  const kinds = expectationsIn(values['inferred_preference'] ?? '').map((part) => kindOf(part, values));
  const type = mostFrequent(kinds);
  return `\`\`\`json\n${JSON.stringify({ explanation: ERROR_EXPLANATIONS[type], type }, null, 2)}\n\`\`\``;
}

function kindOf({ words, clause }: Expectation, values: ModelRequest['values']): ErrorType {
  const { preference = '', session_preferences: sessions = '', curr_request: asked = '' } = values;
  const others = sessions.split('\n').filter((line) => !line.includes(preference.trim()));
  if (others.some((line) => coverage(words, line) === 'Fully Covered')) return 'Incorrect Context';
  if (coverage(words, preference) !== 'Not Covered') return 'Vagueness';
  if (wordOverlap(words, asked) >= IN_REQUEST) return 'Shallow Inference';
  return clause === undefined && words.split(' ').length <= FEW_WORDS ? 'Vagueness' : 'Hallucination';
}

/** The share of a part's words in the request that makes the part one of the request's own. */
const IN_REQUEST = 0.4;

/** A wish in so few words that is nobody's in particular is no wish at all. */
const FEW_WORDS = 5;

function mostFrequent(kinds: readonly ErrorType[]): ErrorType {
  const count = (type: ErrorType) => kinds.filter((kind) => kind === type).length;
  const [first] = ERROR_TYPES.toSorted((one, other) => count(other) - count(one));
  return kinds.length === 0 || first === undefined ? 'Vagueness' : first;
}
