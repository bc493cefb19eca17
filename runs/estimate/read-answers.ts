import { LRUCache } from 'lru-cache';
import { listClosedPersonas } from '../../data/run/artifacts';
import type { RunPlan } from '../../data/run/inputs';
import { JournalError, openJournal, type Journal } from '../../data/run/journal';
import type { Store } from '../../data/store/store';
import { checkUserTurn, type UserTurn } from '../../rules/answers/synthesis/dialogue';
import { isLastAnswer, isSatisfied, listSelectedItems } from '../../rules/dialogue/ending';
import { groupBy } from '../../rules/group-by';
import { computeRevision } from '../../engine/journal/revisions';
import {
  buildDialogueId,
  parseJournalKey,
  parseStepKey,
  buildPersonaWorkflowId,
} from '../../engine/journal/key';
import { type DialogueAnswers, type PersonaProgress, type RunAnswers } from '../../engine/costs/run-answers';
import type { RunInputs } from '../../schemas/run/run';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../../schemas/run/step';

/** Reads how far a run is, again and again: what is closed is read once, and so is each reply. */
export class AnswersReader {
  readonly #journal: Journal;
  readonly #kept = new Map<number, PersonaProgress>();
  readonly #replies = new LRUCache<string, UserTurn>({ max: MOST_REPLIES });

  constructor(
    private readonly inputs: RunPlan['inputs'],
    private readonly store: Store,
  ) {
    this.#journal = openJournal(store);
  }

  /** How far the run is, by its journal and by what is kept of its personas. */
  async read(): Promise<RunAnswers> {
    const { id, settings } = this.inputs;
    const { finished, failed } = await listClosedPersonas(this.store);
    const [kept, closed] = [new Set(finished), new Set([...finished, ...failed])];
    const listing = await this.#journal.list();
    const read = async (number: number) => {
      const known = kept.has(number) ? this.#kept.get(number) : undefined;
      if (known !== undefined) return known;
      const keys = await listing.keysOf(buildPersonaWorkflowId(id, number));
      if (keys.length === 0 && !closed.has(number)) return undefined;
      const answers = await this.#persona(number, keys, {
        kept: kept.has(number),
        closed: closed.has(number),
      });
      if (kept.has(number)) this.#kept.set(number, answers);
      return answers;
    };
    const personas = new Map<number, PersonaProgress>();
    for (let first = 1; first <= settings.nPersonas; first += READ_AT_ONCE) {
      const size = Math.min(READ_AT_ONCE, settings.nPersonas - first + 1);
      const numbers = Array.from({ length: size }, (_, index) => first + index);
      for (const [index, answers] of (await Promise.all(numbers.map(read))).entries()) {
        if (answers !== undefined) personas.set(first + index, answers);
      }
    }
    const described = (await listing.keysOf(id))
      .map(parsePlace)
      .filter((place) => place?.step === 'describe');
    return { descriptions: new Set(described.map((place) => place?.turn)).size, personas };
  }

  async #persona(
    number: number,
    keys: readonly string[],
    { kept, closed }: { readonly kept: boolean; readonly closed: boolean },
  ): Promise<PersonaProgress> {
    const { id, settings, restarts } = this.inputs;
    const byWorkflow = groupBy(keys, (key) => parseJournalKey(key)?.workflowId);
    const turns = createTurnFilter(
      restarts,
      { persona: number },
      byWorkflow.get(buildPersonaWorkflowId(id, number)) ?? [],
    );
    const sessions = Array.from({ length: settings.nSessions - 1 }, (_, index) => index + 1);
    const dialogues = await Promise.all(
      turns.journey.size === 0
        ? []
        : sessions.map((session) =>
            this.#dialogue(
              { persona: number, session },
              byWorkflow.get(buildDialogueId(id, number, session)) ?? [],
              kept,
            ),
          ),
    );
    return {
      closed,
      factors: turns.factors.size > 0,
      journey: turns.journey.size > 0,
      checklists: turns.checklist.size,
      dialogues: dialogues.filter(({ assistant }) => assistant > 0),
    };
  }

  async #dialogue(
    of: { readonly persona: number; readonly session: number },
    keys: readonly string[],
    kept: boolean,
  ): Promise<DialogueAnswers> {
    const { settings, restarts } = this.inputs;
    const turns = createTurnFilter(restarts, of, keys);
    const [assistant, user] = [turns.assistant.size, turns.user.size];
    const limited = kept || assistant >= settings.maxTurns;
    return { assistant, user, ended: limited || (await this.#hasEnded(assistant, turns.user)) };
  }

  /** Whether the user was satisfied, or the dialogue stalled and its last message was answered. */
  async #hasEnded(assistant: number, user: ReadonlyMap<number, string>): Promise<boolean> {
    const { settings } = this.inputs;
    const last = user.get(user.size);
    if (last === undefined) return false;
    if (assistant === user.size) {
      const reply = await this.#readReply(last);
      return reply !== undefined && isSatisfied(reply);
    }
    // Most dialogues are too short to have stalled: their replies need not be read.
    if (user.size <= (settings.stallTurns ?? 0)) return false;
    const replies = await Promise.all([...user.values()].map((key) => this.#readReply(key)));
    return isLastAnswer(
      settings,
      replies.flatMap((reply) =>
        reply === undefined ? [] : { ...reply, selected: listSelectedItems(reply.selected) },
      ),
    );
  }

  async #readReply(key: string): Promise<UserTurn | undefined> {
    const known = this.#replies.get(key);
    if (known !== undefined) return known;
    try {
      const entry = await this.#journal.find(key);
      if (entry === undefined) return undefined;
      const turn = checkUserTurn(entry.answer.text);
      if (!turn.ok) return undefined;
      this.#replies.set(key, turn.value);
      return turn.value;
    } catch (error) {
      // A damaged entry is reported by the command that needs its answer.
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  }
}

/** Personas: a store elsewhere answers one after the other too slowly. */
const READ_AT_ONCE = 16;

/** Those of all dialogues that are open at once, and more. */
const MOST_REPLIES = 5_000;

/** By step, the turns that have an answer in the revision that counts, each with the key of its last one. */
function createTurnFilter(
  restarts: RunInputs['restarts'],
  of: { readonly persona: number; readonly session?: number },
  keys: readonly string[],
): Record<SynthesisStep, Map<number, string>> {
  const turns: Record<SynthesisStep, Map<number, string>> = {
    describe: new Map(),
    factors: new Map(),
    journey: new Map(),
    checklist: new Map(),
    assistant: new Map(),
    user: new Map(),
  };
  const asks = new Map<string, number>();
  const own = restarts.filter(({ persona }) => persona === of.persona);
  for (const key of keys) {
    const place = parsePlace(key);
    if (place === undefined) continue;
    const { revision, step, turn, ask } = place;
    if (revision !== computeRevision(own, { ...of, step, turn })) continue;
    const name = `${step}.${turn}`;
    if (ask < (asks.get(name) ?? 0)) continue;
    asks.set(name, ask);
    turns[step].set(turn, key);
  }
  return turns;
}

interface Place {
  readonly revision: number;
  readonly step: SynthesisStep;
  readonly turn: number;
  readonly ask: number;
}

/** The call of synthesis that a key names; undefined for anything else. */
function parsePlace(key: string): Place | undefined {
  const call = parseStepKey(key, SYNTHESIS_STEPS);
  return call === undefined || !/^\d+$/.test(call.turn) ? undefined : { ...call, turn: Number(call.turn) };
}
