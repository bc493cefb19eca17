import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import type { MessageForm } from '../../schemas/dataset/message';

/**
 * Recognizes data of the simulated assistant by its first answers, which are made of few sentences: files that others rewrote have lost
 * every other mark.
 */
export class SimulatedTexts {
  readonly #firstSentence = buildFirstSentence();
  #dialogues = 0;
  #recognized = 0;

  add(dialogue: readonly MessageForm[]): void {
    const answer = dialogue.find(({ role }) => role === 'assistant')?.content;
    if (typeof answer !== 'string') return;
    this.#dialogues += 1;
    if (this.#firstSentence.test(answer)) this.#recognized += 1;
  }

  /** Returns true for the simulated assistant's dialogues, and undefined for others, about which nothing is known. */
  end(): true | undefined {
    return this.#dialogues > 0 && this.#recognized / this.#dialogues >= SHARE ? true : undefined;
  }
}

/** A model that answers may begin some of its answers like this, but not nearly all. */
const SHARE = 0.9;

function buildFirstSentence(): RegExp {
  const file = join(PROGRAM_FOLDER, 'data', 'vocabulary', 'replies.yaml');
  const { assistant } = repliesSchema.parse(parse(readFileSync(file, 'utf8')));
  const patterns = assistant.first.trim().split('\n').map(buildPattern);
  return new RegExp(`^(?:${patterns.join('|')})`, 's');
}

/** One sentence a line. */
const repliesSchema = z.object({ assistant: z.object({ first: z.string() }) });

function buildPattern(template: string): string {
  return template
    .trim()
    .split(/\{\w+\}/)
    .map((text) => text.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`))
    .join('.{1,200}');
}
