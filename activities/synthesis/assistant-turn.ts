import { renderPrompt } from '../../prompts/render';
import { checkAssistantTurn } from '../../rules/answers/synthesis/assistant';
import { assistantHistory, openingMessage } from '../../rules/dialogue/messages';
import { askModel, type Asked } from '../ask-model';
import { dialogueHint } from '../cache-hints';
import type { Place, SessionRefs, TurnRefs } from './inputs';
import { readSession, readTurns, rememberAssistant } from './read-run';
import { askedAs, type SynthesisWorld } from './files';

/** Has the simulated assistant answer the dialogue so far; it sees the plain messages only (paper, B.4). */
export async function assistantTurn(
  world: SynthesisWorld,
  input: Place & SessionRefs & { readonly turns: readonly TurnRefs[] },
): Promise<Asked<string>> {
  const run = await world.run(input.run);
  const session = await readSession(run, input);
  const turns = await readTurns(run, input, input.turns);
  const { system } = renderPrompt(run.prompts, 'synthesis/assistant_simulator', {});
  const turn = turns.length + 1;
  const messages = assistantHistory(
    openingMessage(session),
    turns.map(({ assistant, user }) => ({ assistant, user: user.message })),
  );
  return askModel(world, run, {
    ...askedAs(run, 'assistant', input, [input.persona, input.session]),
    turn,
    form: 'chat',
    system,
    messages,
    values: {},
    // The whole answer goes into the data, and a model that is told of an earlier one may speak of it there.
    tellsReason: false,
    check: checkAssistantTurn,
    remember: rememberAssistant,
    cache: dialogueHint([run.id, input.persona, input.session, 'assistant'], messages, {
      constant: system,
      goesOn: turn < run.settings.maxTurns,
    }),
  });
}
