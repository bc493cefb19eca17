import type { UserTurn } from '../../rules/answers/synthesis/user';
import { isSatisfied } from '../../rules/dialogue/messages';
import { placeOf } from '../../journal/revisions';
import { dialogueId } from '../../journal/key';
import type { Restart } from '../../schemas/restart';
import type { Asked, Outcome } from '../ask-model';
import { firstCall } from '../first-call';
import { whileAlive } from '../heartbeat';
import { assistantTurn } from './assistant-turn';
import type { SynthesisWorld } from './files';
import type { Place, SessionRefs, TurnRefs } from './inputs';
import { userTurn } from './user-turn';

/** What a turn's first calls came to. */
export interface CarriedTurn {
  readonly assistant: Outcome<string>;
  /** Absent where the assistant's answer has to be asked for again, or is the last that is asked for. */
  readonly user?: Outcome<UserTurn>;
}

/**
 * Carries a dialogue on from where it stands, turn by turn, for as long as every answer is good at once: until the user is satisfied,
 * the turn limit is reached, or some seconds have passed. Each call is journaled by itself, so an activity that is retried pays for none
 * of them again. Whatever has to be decided, a repair above all, is left to the workflow.
 */
export async function carryDialogue(
  world: SynthesisWorld,
  input: SessionRefs & { readonly turns: readonly TurnRefs[]; readonly restarts?: readonly Restart[] },
): Promise<CarriedTurn[]> {
  const { restarts = [], ...refs } = input;
  const { settings } = await world.run(refs.run);
  const workflowId = dialogueId(refs.run, refs.persona, refs.session);
  const end = performance.now() + CARRY_MS;

  const call = <T>(step: 'assistant' | 'user', turn: number, ask: (place: Place) => Promise<Asked<T>>) => {
    const place = placeOf(restarts, { ...refs, step, turn }, settings.models);
    const { generation } = place;
    return firstCall(world, { workflowId, generation, step, turn }, () =>
      ask({ run: refs.run, ...place, ask: 0 }),
    );
  };

  return whileAlive(async () => {
    const turns = [...refs.turns];
    const carried: CarriedTurn[] = [];
    do {
      const turn = turns.length + 1;
      const { outcome: assistant, good: answer } = await call('assistant', turn, (place) =>
        assistantTurn(world, { ...refs, ...place, turns }),
      );
      if (answer === undefined || turn === settings.maxTurns) {
        carried.push({ assistant });
        break;
      }
      const { outcome: user, good: reply } = await call('user', turn, (place) =>
        userTurn(world, { ...refs, ...place, turns, answer: answer.ref }),
      );
      carried.push({ assistant, user });
      if (reply === undefined || isSatisfied(reply.value)) break;
      turns.push([answer.ref, reply.ref]);
    } while (performance.now() < end);
    return carried;
  }, 1_000);
}

/** Milliseconds after which no further turn is begun here: other dialogues wait for a slot, and a history is to show progress. */
const CARRY_MS = 10_000;
