import { isLastAnswer, isSatisfied } from '../dialogue/ending';
import type { AnswerFacts, Script } from './script';
import {
  askStep,
  placeStep,
  type DialogueRefs,
  type SessionRefs,
  type SynthesisCall,
  type SynthesisScriptPlan,
  type TurnRefs,
} from './synthesis-calls';

/**
 * Simulates the dialogue of one session (paper, B.4): the assistant answers, the user scores the answer and writes back, until a score of 10. If
 * the score and END/CONTINUE still disagree after asking once more, the score decides. The dialogue also ends after `maxTurns` messages of the
 * user, or fewer if it stalls. The assistant's answer to the last message is not judged.
 * @throws CallsFailed when a call got no usable answer
 */
export function* simulateDialogue(
  plan: SynthesisScriptPlan,
  session: SessionRefs,
): Script<DialogueRefs, SynthesisCall> {
  const turns: TurnRefs[] = [];
  const replies: AnswerFacts['user'][] = [];
  for (;;) {
    const turn = turns.length + 1;
    const refs = { ...session, turns: [...turns] };
    const answer = yield* askStep(plan, { ...refs, ...placeStep(plan, 'assistant', turn, session) });
    if (isLastAnswer(plan.settings, replies)) return { turns, unjudged: answer.ref };
    const place = placeStep(plan, 'user', turn, session);
    const reply = yield* askStep(plan, { ...refs, ...place, answer: answer.ref });
    turns.push([answer.ref, reply.ref]);
    replies.push(reply.facts);
    if (isSatisfied(reply.facts)) return { turns };
  }
}
