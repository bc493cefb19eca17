import type { SessionRefs, TurnRefs } from '../activities/synthesis/inputs';
import type { DialogueRefs } from '../activities/synthesis/keep-record';
import type { SynthesisSettings } from '../schemas/settings';
import { ask } from './ask';
import { asking } from './options';

export interface DialogueInput {
  readonly settings: SynthesisSettings;
  readonly refs: SessionRefs;
}

/**
 * One session's dialogue (paper, B.4): the assistant answers, the user scores the answer and writes back, until a
 * score of 10 or until the user's messages, the opening one included, reach `maxTurns` and the last of them is answered.
 * Keeps what was said in the journal, and only its references here.
 */
export async function dialogue({ settings, refs }: DialogueInput): Promise<DialogueRefs> {
  const { assistantTurn } = asking(refs.run, settings.models.assistant);
  const { userTurn } = asking(refs.run, settings.models.user);
  const generation = 0;
  const place = { persona: refs.persona, session: refs.session, generation };
  const turns: TurnRefs[] = [];
  for (;;) {
    const turn = turns.length + 1;
    const answer = await ask({ ...place, step: 'assistant', turn }, settings.steps.assistant, (number) =>
      assistantTurn({ ...refs, turns, generation, ask: number }),
    );
    if (turn === settings.maxTurns) return { turns, unjudged: answer.ref };
    const reply = await ask({ ...place, step: 'user', turn }, settings.steps.user, (number) =>
      userTurn({ ...refs, turns, answer: answer.ref, generation, ask: number }),
    );
    turns.push([answer.ref, reply.ref]);
    // The score decides; where END/CONTINUE says otherwise, the user turn keeps the disagreement.
    if (reply.value.score === 10) return { turns };
  }
}
