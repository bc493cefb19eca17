import type { TurnOutcomes } from '../../activities/synthesis/dialogue';
import type { SessionRefs, TurnRefs, DialogueRefs } from '../../activities/synthesis/inputs';
import type { UserTurn } from '../../rules/answers/synthesis/dialogue';
import { isLastAnswer, isSatisfied } from '../../rules/dialogue/ending';
import { buildDialogueId } from '../../engine/journal/key';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { ask, preferFirstCall } from '../ask';
import { proxyModelActivities } from '../options';
import { placeCall } from '../../engine/journal/revisions';

/**
 * One session's dialogue (paper, B.4): the assistant answers, the user scores the answer and writes back, until a
 * score of 10, or until the last of the user's messages is answered: the opening one included, there are `maxTurns`, or fewer where the
 * dialogue stalls.
 * One activity makes the calls of some turns, as long as all goes well, and returns what each came to; where an answer has to be
 * repaired, the calls are made one by one until the turn is complete.
 * Messages are in the journal; the workflow keeps only references to them.
 * @param restarts the restarts of this persona; absent for none
 * @throws ApplicationFailure, its detail a FailedCall, when a call gets no usable answer
 */
export async function dialogue(
  settings: SynthesisSettings,
  refs: SessionRefs,
  restarts?: readonly Restart[],
): Promise<DialogueRefs> {
  const { run, persona, session } = refs;
  const workflowId = buildDialogueId(run, persona, session);
  const { carryDialogue, assistantTurn, userTurn } = proxyModelActivities();
  const turns: TurnRefs[] = [];
  const replies: UserTurn[] = [];
  /** What the last activity returned, from the current turn on. */
  let outcomes: readonly TurnOutcomes[] = [];
  const readTurn = async () => {
    if (outcomes.length === 0) {
      outcomes = await carryDialogue({ ...refs, turns, ...(restarts === undefined ? {} : { restarts }) });
    }
    return outcomes[0];
  };
  for (;;) {
    const turn = turns.length + 1;
    const assistant = placeCall(settings, restarts, {
      workflowId,
      persona,
      session,
      step: 'assistant',
      turn,
    });
    const answer = await ask(
      assistant.asker,
      settings.steps.assistant,
      preferFirstCall(
        async () => (await readTurn())?.assistant,
        (number) => assistantTurn({ ...refs, turns, ...assistant.place, ask: number }),
      ),
    );
    if (isLastAnswer(settings, replies)) return { turns, unjudged: answer.ref };
    const user = placeCall(settings, restarts, { workflowId, persona, session, step: 'user', turn });
    const reply = await ask(
      user.asker,
      settings.steps.user,
      preferFirstCall(
        () => outcomes[0]?.user,
        (number) => userTurn({ ...refs, turns, answer: answer.ref, ...user.place, ask: number }),
      ),
    );
    turns.push([answer.ref, reply.ref]);
    replies.push(reply.value);
    outcomes = outcomes.slice(1);
    // The score decides; where END/CONTINUE says otherwise, the user turn keeps the disagreement.
    if (isSatisfied(reply.value)) return { turns };
  }
}
