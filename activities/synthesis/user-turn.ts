import { leadingText, renderPrompt } from '../../prompts/render';
import { numberedChecklist } from '../../prompts/values';
import { checkUserTurn, type UserTurn } from '../../rules/answers/synthesis/user';
import { openingMessage, userSimulatorHistory } from '../../rules/dialogue/messages';
import { askModel, type Asked } from '../ask-model';
import { dialogueHint } from '../cache-hints';
import type { Place, SessionRefs, TurnRefs } from './inputs';
import { readAssistant, readChecklist, readPersona, readSession, readTurns, rememberUser } from './read-run';
import { askedAs, type SynthesisWorld } from './files';

/** Has the simulated user score the assistant's last answer and write back (paper, B.4 and figure 19). */
export async function userTurn(
  world: SynthesisWorld,
  input: Place & SessionRefs & { readonly turns: readonly TurnRefs[]; readonly answer: string },
): Promise<Asked<UserTurn>> {
  const run = await world.run(input.run);
  const persona = await readPersona(run, input);
  const session = await readSession(run, input);
  const checklist = await readChecklist(run, input, input.checklist);
  const turns = await readTurns(run, input, input.turns);
  const turn = turns.length + 1;
  const answer = await readAssistant(run, input, turn, input.answer);
  const values = {
    user_profile: persona.description,
    context_factor: session.context_factor,
    preference: session.preference,
    checklist: numberedChecklist(checklist),
  };
  const { system } = renderPrompt(run.prompts, 'synthesis/user_simulator', values);
  const messages = userSimulatorHistory(openingMessage(session), [
    ...turns.map(({ assistant, user }) => ({ assistant, user: user.text })),
    { assistant: answer },
  ]);
  return askModel(world, run, {
    ...askedAs(run, 'user', input, [input.persona, input.session]),
    turn,
    form: 'chat',
    system,
    messages,
    values,
    tellsReason: true,
    check: checkUserTurn,
    remember: rememberUser,
    cache: dialogueHint([run.id, input.persona, input.session, 'user'], messages, {
      constant: leadingText(run.prompts.prompts['synthesis/user_simulator']?.system_prompt ?? ''),
      // The answer to the last message that the limit allows is not judged.
      goesOn: turn < run.settings.maxTurns - 1,
    }),
  });
}
