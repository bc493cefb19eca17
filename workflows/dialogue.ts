import type { SessionRefs, TurnRefs } from '../activities/synthesis/inputs';
import type { DialogueRefs } from '../activities/synthesis/keep-record';
import type { Restart } from '../schemas/restart';
import type { SynthesisSettings } from '../schemas/settings';
import { ask } from './ask';
import { placed } from './placed';

export interface DialogueInput {
  readonly settings: SynthesisSettings;
  readonly refs: SessionRefs;
  /** What of this persona is done over; absent for nothing. */
  readonly restarts?: readonly Restart[];
}

/**
 * One session's dialogue (paper, B.4): the assistant answers, the user scores the answer and writes back, until a
 * score of 10 or until the user's messages, the opening one included, reach `maxTurns` and the last of them is answered.
 * Keeps what was said in the journal, and only its references here.
 */
export async function dialogue({ settings, refs, restarts }: DialogueInput): Promise<DialogueRefs> {
  const { run, persona, session } = refs;
  const turns: TurnRefs[] = [];
  for (;;) {
    const turn = turns.length + 1;
    const assistant = placed(run, settings, restarts, { persona, session, step: 'assistant', turn });
    const answer = await ask(assistant.asker, settings.steps.assistant, (number) =>
      assistant.asking.assistantTurn({ ...refs, turns, ...assistant.place, ask: number }),
    );
    if (turn === settings.maxTurns) return { turns, unjudged: answer.ref };
    const user = placed(run, settings, restarts, { persona, session, step: 'user', turn });
    const reply = await ask(user.asker, settings.steps.user, (number) =>
      user.asking.userTurn({ ...refs, turns, answer: answer.ref, ...user.place, ask: number }),
    );
    turns.push([answer.ref, reply.ref]);
    // The score decides; where END/CONTINUE says otherwise, the user turn keeps the disagreement.
    if (reply.value.score === 10) return { turns };
  }
}
