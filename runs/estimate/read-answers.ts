import { listClosedPersonas } from '../../data/run/artifacts';
import type { RunPlan } from '../../data/run/inputs';
import { JournalError, openJournal, type Journal } from '../../data/run/journal';
import type { Store } from '../../data/store/store';
import { checkUserTurn, type UserTurn } from '../../rules/answers/synthesis/dialogue';
import { isLastAnswer, isSatisfied } from '../../rules/dialogue';
import { computeRevision } from '../../journal/revisions';
import { buildDialogueId, parseStepKey, buildPersonaWorkflowId } from '../../journal/key';
import { type DialogueAnswers, type PersonaAnswers, type RunAnswers } from '../../costs/run-answers';
import type { RunInputs } from '../../schemas/run/run';
import { SYNTHESIS_STEPS, type SynthesisStep } from '../../schemas/run/step';

/** Reads how far a run is, again and again: what is closed is read once. */
export class AnswersReader {
  readonly #journal: Journal;
  readonly #kept = new Map<number, PersonaAnswers>();

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
    const personas = new Map<number, PersonaAnswers>();
    for (let number = 1; number <= settings.nPersonas; number += 1) {
      const known = kept.has(number) ? this.#kept.get(number) : undefined;
      const answers = known ?? (await this.#persona(number, kept.has(number), closed.has(number)));
      if (kept.has(number) && answers !== undefined) this.#kept.set(number, answers);
      if (answers !== undefined) personas.set(number, answers);
    }
    const described = (await this.#journal.keysOf(id))
      .map(parsePlace)
      .filter((place) => place?.step === 'describe');
    return { descriptions: new Set(described.map((place) => place?.turn)).size, personas };
  }

  /** Undefined when nothing is known of it. */
  async #persona(number: number, kept: boolean, closed: boolean): Promise<PersonaAnswers | undefined> {
    const { id, settings, restarts } = this.inputs;
    const keys = await this.#journal.keysOf(buildPersonaWorkflowId(id, number));
    if (keys.length === 0 && !closed) return undefined;
    const turns = createTurnFilter(restarts, { persona: number }, keys);
    const sessions = Array.from({ length: settings.nSessions - 1 }, (_, index) => index + 1);
    const dialogues = await Promise.all(
      turns.journey.size === 0 ? [] : sessions.map((session) => this.#dialogue(number, session, kept)),
    );
    return {
      closed,
      factors: turns.factors.size > 0,
      journey: turns.journey.size > 0,
      checklists: turns.checklist.size,
      dialogues: dialogues.filter(({ assistant }) => assistant > 0),
    };
  }

  async #dialogue(persona: number, session: number, kept: boolean): Promise<DialogueAnswers> {
    const { id, settings, restarts } = this.inputs;
    const keys = await this.#journal.keysOf(buildDialogueId(id, persona, session));
    const turns = createTurnFilter(restarts, { persona, session }, keys);
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
      replies.filter((reply) => reply !== undefined),
    );
  }

  async #readReply(key: string): Promise<UserTurn | undefined> {
    try {
      const entry = await this.#journal.find(key);
      if (entry === undefined) return undefined;
      const turn = checkUserTurn(entry.answer.text);
      return turn.ok ? turn.value : undefined;
    } catch (error) {
      // A damaged entry is reported by the command that needs its answer.
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  }
}

/** By step, the turns that have an answer in the generation that counts, each with the key of its last one. */
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
    const { generation, step, turn, ask } = place;
    if (generation !== computeRevision(own, { ...of, step, turn })) continue;
    const name = `${step}.${turn}`;
    if (ask < (asks.get(name) ?? 0)) continue;
    asks.set(name, ask);
    turns[step].set(turn, key);
  }
  return turns;
}

interface Place {
  readonly generation: number;
  readonly step: SynthesisStep;
  readonly turn: number;
  readonly ask: number;
}

/** The call of synthesis that a key names; undefined for anything else. */
function parsePlace(key: string): Place | undefined {
  const call = parseStepKey(key, SYNTHESIS_STEPS);
  return call === undefined || !/^\d+$/.test(call.turn) ? undefined : { ...call, turn: Number(call.turn) };
}
