import type { MessageForm } from '../../schemas/dataset/message';
import { findTurnLine, separateText } from '../../schemas/model/answer-text';
import { formatFieldName } from '../../schemas/text/field-path';
import { listMessageProblems } from '../quality/user-message';
import type { FileFinding, Place, RowFinding } from './finding';
import { hashLetters, hashTexts } from '../texts/text-hash';
import { joinWords } from '../texts/words';

/** A dialogue of a row. */
interface RowDialogue {
  /** Path of its messages in the row. */
  readonly field: string;
  readonly messages: readonly MessageForm[];
}

/** Finds what people should look at in the texts of any data: in each dialogue, and over all of them. */
export class DialogueTexts {
  /** Hashes of persona, opening and first answer. */
  readonly #known = new Set<number>();
  readonly #found: FileFinding[] = [];
  #first: Place | undefined;
  #dialogues = 0;
  #early = 0;

  /** @param row every text in it is looked at */
  add(row: object, dialogues: readonly RowDialogue[], { persona_id, ...place }: Place): void {
    this.#first ??= { persona_id, ...place };
    const findings = [findReasoning(row)];
    for (const dialogue of dialogues) {
      const [opening, answer] = dialogue.messages;
      const key = hashTexts([persona_id, `${opening?.content}`, `${answer?.content}`]);
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      this.#dialogues += 1;
      if (dialogue.messages.filter(({ role }) => role === 'assistant').length === 1) this.#early += 1;
      findings.push(...listDialogueFindings(dialogue));
    }
    for (const finding of findings)
      if (finding !== undefined) this.#found.push({ persona_id, ...place, ...finding });
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

function listDialogueFindings({ field, messages }: RowDialogue): RowFinding[] {
  const opening = messages[0]?.content ?? '';
  /** First text with the same letters. Only texts that share them are split into words. */
  const firstTexts = new Map<number, string>();
  const seenWords = new Set<string>();
  return messages.flatMap(({ role, content }, index) => {
    const text = content ?? '';
    const problems = role === 'user' && index > 0 ? listMessageProblems(text, opening) : [];
    const letters = hashLetters(text);
    const first = firstTexts.get(letters);
    if (first === undefined) firstTexts.set(letters, text);
    else {
      const words = joinWords(text);
      seenWords.add(joinWords(first));
      if (problems.length === 0 && words !== '' && seenWords.has(words))
        problems.push('the message repeats an earlier one');
      seenWords.add(words);
    }
    return problems.map((problem): RowFinding => ({
      rule: 'dialogue-quality',
      field: `${field}[${index}].content`,
      message: `${problem}.`,
    }));
  });
}

/** Finds the first text of a row with reasoning, special tokens or an invented turn of a model, which belong to no text. */
function findReasoning(row: object): RowFinding | undefined {
  const location = findRemains(row);
  if (location === undefined) return undefined;
  return {
    rule: 'reasoning-in-text',
    field: formatFieldName(location.path),
    message: `contains ${location.remains} no text of the data. Generate this persona again, or leave it out.`,
  };
}

/** Remains of a model in a text of a row. */
interface Remains {
  readonly remains: string;
  readonly path: readonly PropertyKey[];
}

function findRemains(value: unknown): Remains | undefined {
  if (typeof value === 'string') {
    const remains = describeRemains(value);
    return remains === undefined ? undefined : { remains, path: [] };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const name in value) {
    const location = findRemains(Reflect.get(value, name));
    if (location !== undefined)
      return { ...location, path: [isList ? Number(name) : name, ...location.path] };
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
