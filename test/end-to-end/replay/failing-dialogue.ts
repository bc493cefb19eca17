import type { Model, ModelRequest } from '../../../models/model';
import { simulated } from '../../engine/workflows/synthesis/in-process';

/** What one side of a dialogue was answered, in the order in which it was. */
export interface Answered {
  readonly step: string;
  readonly text: string;
}

/** A message with which no user turn can be built. */
const UNUSABLE = 'I would rather not fill in a form.';

/**
 * The simulated model, whose user has one bad answer in every dialogue's first turn; in the dialogue that reaches its second turn
 * first, it has nothing else from there on.
 */
export class FailingDialogue implements Model {
  /** By the dialogue's opening message. */
  readonly #answered = new Map<string, Answered[]>();
  #victim: string | undefined;

  async ask(request: ModelRequest, signal: AbortSignal): ReturnType<Model['ask']> {
    const answer = await simulated.ask(request, signal);
    const { step, messages, ask } = request;
    if (step !== 'assistant' && step !== 'user') return answer;
    const [first] = messages;
    const opening = step === 'assistant' ? (first?.content ?? '') : (openingIn(first?.content) ?? '');
    // The user is shown its opening, then two messages a turn; after a bad answer there are two more.
    const second = step === 'user' && messages.length - 2 * (ask % ASKS) >= 4;
    if (second) this.#victim ??= opening;
    const failing = step === 'user' && (second ? opening === this.#victim : ask === 0);
    const text = failing ? UNUSABLE : answer.text;
    this.#answered.set(opening.trim(), [...(this.#answered.get(opening.trim()) ?? []), { step, text }]);
    return { ...answer, text };
  }

  /** What the model said in the dialogue that was opened like this. */
  saidAfter(opening: string): readonly Answered[] {
    return this.#answered.get(opening) ?? [];
  }
}

/** Asks of one sample, by default. */
const ASKS = 5;

function openingIn(sections: string | undefined): string | undefined {
  return sections?.split('#### Your Message')[1]?.trim();
}
