import { type UserTurn, checkAssistantTurn, checkUserTurn } from '../../rules/answers/synthesis/dialogue';
import {
  buildAssistantHistory,
  buildOpeningMessage,
  buildUserSimulatorHistory,
} from '../../rules/dialogue/messages';
import { isLastAnswer, isSatisfied } from '../../rules/dialogue/ending';
import type { Restart } from '../../schemas/run/restart';
import { type CheckedAnswer, type CallOutcome, askModel } from '../ask-model';
import type { SynthesisWorld, Place, SessionRefs, TurnRefs } from './inputs';
import { renderPrompt, renderLeadingText } from '../../data/prompts/render';
import { buildDialogueHint } from '../cache-hints';
import {
  buildStepQuestion,
  caches,
  createFirstCaller,
  readSession,
  readTurns,
  readAssistant,
  readChecklist,
  readPersona,
} from './read-run';
import { renderChecklist } from '../../data/prompts/values';

export interface TurnOutcomes {
  readonly assistant: CallOutcome<string>;
  /** Absent where the assistant's answer has to be asked for again, or is the last that is asked for. */
  readonly user?: CallOutcome<UserTurn>;
}

/**
 * Carries a dialogue on from where it stands, turn by turn, for as long as every answer is good at once: until the user is satisfied,
 * the turn limit is reached, or some seconds have passed. Each call is journaled by itself, so an activity that is retried pays for none
 * of them again. Whatever has to be decided, a repair above all, is left to the workflow.
 */
export async function continueDialogue(
  world: SynthesisWorld,
  input: SessionRefs & { readonly turns: readonly TurnRefs[]; readonly restarts?: readonly Restart[] },
): Promise<TurnOutcomes[]> {
  const { restarts, ...refs } = input;
  const { run } = world;
  const call = createFirstCaller(world, refs, restarts);
  const end = performance.now() + CARRY_MS;

  const turns = [...refs.turns];
  const replies: UserTurn[] = (await readTurns(run, refs, turns)).map(({ user }) => user);
  const carried: TurnOutcomes[] = [];
  do {
    const turn = turns.length + 1;
    const { outcome: assistant, good: answer } = await call('assistant', turn, (place) =>
      askAssistant(world, { ...refs, ...place, turns }),
    );
    if (answer === undefined || isLastAnswer(run.settings, replies)) {
      carried.push({ assistant });
      break;
    }
    const { outcome: user, good: reply } = await call('user', turn, (place) =>
      askUser(world, { ...refs, ...place, turns, answer: answer.ref }),
    );
    carried.push({ assistant, user });
    if (reply === undefined || isSatisfied(reply.value)) break;
    turns.push([answer.ref, reply.ref]);
    replies.push(reply.value);
  } while (performance.now() < end);
  return carried;
}

/** Milliseconds after which no further turn is begun here: other dialogues wait for a slot, and a history is to show progress. */
const CARRY_MS = 10_000;

/** Has the simulated assistant answer the dialogue so far; it sees the plain messages only (paper, B.4). */
export async function askAssistant(
  world: SynthesisWorld,
  input: Place & SessionRefs & { readonly turns: readonly TurnRefs[] },
): Promise<CheckedAnswer<string>> {
  const { run } = world;
  const session = await readSession(run, input);
  const turns = await readTurns(run, input, input.turns);
  const { system } = renderPrompt(run.prompts, 'synthesis/assistant_simulator', {});
  const turn = turns.length + 1;
  const messages = buildAssistantHistory(
    buildOpeningMessage(session),
    turns.map(({ assistant, user }) => ({ assistant, user: user.message })),
  );
  return askModel(world, {
    ...buildStepQuestion(run, 'assistant', input, [input.persona, input.session]),
    turn,
    form: 'chat',
    system,
    messages,
    values: {},
    // The whole answer goes into the data, and a model that was shown an earlier one might refer to it.
    includesReason: false,
    check: checkAssistantTurn,
    remember: caches.assistantTurns.remember,
    cache: buildDialogueHint([run.id, input.persona, input.session, 'assistant'], messages, {
      constant: system,
      goesOn: !isLastAnswer(
        run.settings,
        turns.map(({ user }) => user),
      ),
    }),
  });
}

/** Has the simulated user score the assistant's last answer and write back (paper, B.4 and figure 19). */
export async function askUser(
  world: SynthesisWorld,
  input: Place & SessionRefs & { readonly turns: readonly TurnRefs[]; readonly answer: string },
): Promise<CheckedAnswer<UserTurn>> {
  const { run } = world;
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
    checklist: renderChecklist(checklist),
  };
  const { system } = renderPrompt(run.prompts, 'synthesis/user_simulator', values);
  const { preference } = session;
  const opening = buildOpeningMessage(session);
  const selected = turns.map(({ user }) => user.selected);
  const subject =
    run.settings.quality === 'strict' ? { opening, preference, checklist, selected } : undefined;
  const messages = buildUserSimulatorHistory(opening, [
    ...turns.map(({ assistant, user }) => ({ assistant, user: user.text })),
    { assistant: answer },
  ]);
  return askModel(world, {
    ...buildStepQuestion(run, 'user', input, [input.persona, input.session]),
    turn,
    form: 'chat',
    system,
    messages,
    values,
    includesReason: true,
    check: (text) => checkUserTurn(text, subject),
    remember: (key, value, text) => caches.userTurns.remember(key, { ...value, text: text.trim() }, text),
    cache: buildDialogueHint([run.id, input.persona, input.session, 'user'], messages, {
      constant: renderLeadingText(run.prompts.prompts['synthesis/user_simulator']?.system_prompt ?? ''),
      // The answer to the last message that the limit allows is not judged.
      goesOn: turn < run.settings.maxTurns - 1,
    }),
  });
}
