import { findTurnLine, separateText } from '../../schemas/model/answer-text';
import { listMessageProblems } from '../quality/user-message';
import type { FileFinding, Place, RowFinding } from './finding';
import { splitIntoWords } from './words';

/** A dialogue of a row. */
interface Dialogue {
  /** Path of its messages in the row. */
  readonly field: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
}

/** Finds what people should look at in the texts of any data: in each dialogue, and over all of them. */
export class DialogueTexts {
  readonly #known = new Set<string>();
  readonly #found: FileFinding[] = [];
  #first: Place | undefined;
  #dialogues = 0;
  #early = 0;

  /** @param row every text in it is looked at */
  add(row: object, dialogues: readonly Dialogue[], { persona_id, ...place }: Place): void {
    this.#first ??= { persona_id, ...place };
    const found = [findReasoning(row, '')];
    for (const dialogue of dialogues) {
      const [opening, answer] = dialogue.messages;
      const key = `${persona_id}\u0000${opening?.content}\u0000${answer?.content}`;
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      this.#dialogues += 1;
      if (dialogue.messages.filter(({ role }) => role === 'assistant').length === 1) this.#early += 1;
      found.push(...listDialogueFindings(dialogue));
    }
    for (const one of found) if (one !== undefined) this.#found.push({ persona_id, ...place, ...one });
  }

  end(): FileFinding[] {
    const share = this.#early / this.#dialogues;
    if (this.#first === undefined || this.#dialogues < FEWEST_DIALOGUES || share <= MOST_EARLY)
      return this.#found;
    const message = `${this.#early} of ${this.#dialogues} dialogues (${(100 * share).toFixed(0)} %) end at the first answer, so they show little of a preference. Is the user simulated by a careful model?`;
    return [...this.#found, { ...this.#first, rule: 'early-endings', message }];
  }
}

/** The share of dialogues that may end at the first answer. */
const MOST_EARLY = 0.2;

/** Those of five personas: of fewer, a share says little. */
const FEWEST_DIALOGUES = 50;

function listDialogueFindings({ field, messages }: Dialogue): RowFinding[] {
  const opening = messages[0]?.content ?? '';
  const seen = new Set<string>();
  return messages.flatMap(({ role, content }, index) => {
    const words = splitIntoWords(content ?? '').join(' ');
    const isRepeated = words !== '' && seen.has(words);
    seen.add(words);
    const problems = role === 'user' && index > 0 ? listMessageProblems(content ?? '', opening) : [];
    if (problems.length === 0 && isRepeated) problems.push('the message repeats an earlier one');
    return problems.map((problem): RowFinding => ({
      rule: 'dialogue-quality',
      field: `${field}[${index}].content`,
      message: `${problem}.`,
    }));
  });
}

/** Finds the first text of a row with reasoning, special tokens or an invented turn of a model, which belong to no text. */
function findReasoning(value: unknown, field: string): RowFinding | undefined {
  if (typeof value === 'string') {
    const remains = describeRemains(value);
    return remains === undefined
      ? undefined
      : {
          rule: 'reasoning-in-text',
          field,
          message: `contains ${remains} no text of the data. Generate this persona again, or leave it out.`,
        };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const isEntry = Array.isArray(value);
    const found = findReasoning(
      inner,
      isEntry ? `${field}[${name}]` : field === '' ? name : `${field}.${name}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function describeRemains(text: string): string | undefined {
  const { reasoning, hadTokens } = separateText(text);
  if (reasoning !== undefined) return 'reasoning of a model, which belongs to';
  const turn = findTurnLine(text);
  if (turn !== undefined)
    return `the line "${turn}", which begins another turn. Unless the text drafts a dialogue, what follows belongs to`;
  return hadTokens ? 'special tokens of a model, which belong to' : undefined;
}
