import { LRUCache } from 'lru-cache';
import { listClosedPersonas } from '../../data/run/artifacts';
import { JournalError, openJournal, type Journal } from '../../data/run/journal';
import { readAhead } from '../../data/store/read-ahead';
import type { Store } from '../../data/store/store';
import { checkUserTurn } from '../../rules/answers/synthesis/dialogue';
import { listSelectedItems } from '../../rules/dialogue/ending';
import {
  buildJournalKey,
  buildPersonaWorkflowId,
  parseJournalKey,
  parseStepKey,
} from '../../engine/journal/key';
import { type DialogueAnswers, type PersonaProgress, type RunAnswers } from '../../engine/costs/run-answers';
import { simulateDialogue } from '../../rules/method/dialogue';
import {
  followScript,
  type AnswerFacts,
  type Attempt,
  type Call,
  type AttemptOutcome,
} from '../../rules/method/script';
import { placeStep, type SynthesisCall, type SynthesisScriptPlan } from '../../rules/method/synthesis-calls';
import { listJourneyParts } from '../../schemas/run/journey-parts';
import type { RunInputs } from '../../schemas/run/run';
import type { SynthesisStep } from '../../schemas/run/step';

/**
 * Reads the progress of a run repeatedly: finished work, and each reply, is read only once. The texts of all answers would be too many to
 * fetch, so personas and dialogues are followed by the keys of their answers. A dialogue that continues after a reply was not satisfied
 * with it. Only the last reply is read, and the others where the dialogue may have stalled.
 */
export class AnswersReader {
  readonly #journal: Journal;
  readonly #kept = new Map<number, PersonaProgress>();
  readonly #replies = new LRUCache<string, AnswerFacts['user']>({ max: MOST_REPLIES });

  constructor(
    private readonly inputs: Pick<RunInputs, 'id' | 'settings' | 'restarts'>,
    private readonly store: Store,
  ) {
    this.#journal = openJournal(store);
  }

  /** Reads the progress of the run from its journal and its stored personas. */
  async read(): Promise<RunAnswers> {
    const { id, settings } = this.inputs;
    const { finished, failed } = await listClosedPersonas(this.store);
    const [recorded, closed] = [new Set(finished), new Set([...finished, ...failed])];
    const listing = await this.#journal.list();
    const read = async (number: number) => {
      const cached = recorded.has(number) ? this.#kept.get(number) : undefined;
      if (cached !== undefined) return cached;
      const keys = await listing.keysOf(buildPersonaWorkflowId(id, number));
      if (keys.length === 0 && !closed.has(number)) return undefined;
      const answers = await this.#persona(number, keys, {
        kept: recorded.has(number),
        closed: closed.has(number),
      });
      if (recorded.has(number)) this.#kept.set(number, answers);
      return answers;
    };
    const personas = new Map<number, PersonaProgress>();
    const numbers = Array.from({ length: settings.nPersonas }, (_, index) => index + 1);
    let number = 0;
    for await (const answers of readAhead(numbers, READ_AT_ONCE, read)) {
      number += 1;
      if (answers !== undefined) personas.set(number, answers);
    }
    const described = (await listing.keysOf(id)).flatMap(
      (key) => parseStepKey(key, ['describe'])?.turn ?? [],
    );
    return { descriptions: new Set(described).size, personas };
  }

  async #persona(
    persona: number,
    keys: readonly string[],
    { kept, closed }: { readonly kept: boolean; readonly closed: boolean },
  ): Promise<PersonaProgress> {
    const { id, settings } = this.inputs;
    const restarts = this.inputs.restarts.filter((restart) => restart.persona === persona);
    const plan = { run: id, settings, restarts };
    const answered = findAnswered(keys);
    const isAnswered = (step: SynthesisStep, turn: number) =>
      answered.has(nameCall(placeStep(plan, step, turn, { persona })));
    const sessions = Array.from({ length: settings.nSessions }, (_, index) => index + 1);
    const dialogues = await Promise.all(
      sessions.slice(0, -1).map((session) => this.#dialogue(plan, { persona, session }, answered, kept)),
    );
    return {
      closed,
      factors: isAnswered('factors', 0),
      journeyParts: listJourneyParts(settings.nSessions).filter(({ turn }) => isAnswered('journey', turn))
        .length,
      // No journey has more preferences than sessions.
      checklists: sessions.filter((turn) => isAnswered('checklist', turn)).length,
      dialogues: dialogues.filter(({ assistant }) => assistant > 0),
    };
  }

  /** Follows the script of a dialogue as far as its calls have answers. */
  async #dialogue(
    plan: SynthesisScriptPlan,
    place: { readonly persona: number; readonly session: number },
    answered: Answered,
    isFinished: boolean,
  ): Promise<DialogueAnswers> {
    const counts = { assistant: 0, user: 0 };
    const isRead = isFinished ? () => false : findRead(plan, place, answered);
    const answer = async ({ call }: Attempt<SynthesisCall>): Promise<AttemptOutcome> => {
      const last = answered.get(nameCall(call));
      if (last === undefined) throw new MissingAnswer();
      if (call.step !== 'user') {
        counts.assistant += 1;
        return { state: 'good' };
      }
      counts.user += 1;
      const facts = isRead(call.turn) ? await this.#readReply(last.key) : { score: 0, selected: [call.turn] };
      if (facts === undefined) throw new MissingAnswer();
      return { state: 'good', facts };
    };
    try {
      await followScript(simulateDialogue(plan, { ...place, ...UNREAD }), answer);
      return { ...counts, ended: true };
    } catch (error) {
      if (error instanceof MissingAnswer) return { ...counts, ended: isFinished };
      throw error;
    }
  }

  async #readReply(key: string): Promise<AnswerFacts['user'] | undefined> {
    const cached = this.#replies.get(key);
    if (cached !== undefined) return cached;
    try {
      const entry = await this.#journal.find(key);
      if (entry === undefined) return undefined;
      const turn = checkUserTurn(entry.answer.text);
      if (!turn.ok) return undefined;
      const reply = { score: turn.value.score, selected: listSelectedItems(turn.value.selected) };
      this.#replies.set(key, reply);
      return reply;
    } catch (error) {
      // The command that needs this answer reports the damage.
      if (error instanceof JournalError) return undefined;
      throw error;
    }
  }
}

/** Number of personas read at once. */
const READ_AT_ONCE = 16;

/** More than the replies of all dialogues that are open at once. */
const MOST_REPLIES = 5_000;

/** Placeholders: no request is built from these references. */
const UNREAD = {
  described: { first: 0, count: 0, ref: '' },
  factors: '',
  journey: [],
  checklist: { index: 0, ref: '' },
};

/** Last attempt of each answered call. */
type Answered = ReadonlyMap<string, { readonly key: string; readonly attempt: number }>;

function findAnswered(keys: readonly string[]): Answered {
  const answered = new Map<string, { readonly key: string; readonly attempt: number }>();
  for (const key of keys) {
    const call = parseJournalKey(key);
    if (call === undefined) continue;
    const name = nameCall(call);
    if (call.attempt >= (answered.get(name)?.attempt ?? 0))
      answered.set(name, { key, attempt: call.attempt });
  }
  return answered;
}

/** Finds the replies of a dialogue whose texts decide whether it has ended, by turn. */
function findRead(
  plan: SynthesisScriptPlan,
  place: { readonly persona: number; readonly session: number },
  answered: Answered,
): (turn: number) => boolean {
  const has = (step: 'assistant' | 'user', turn: number) =>
    answered.has(nameCall(placeStep(plan, step, turn, place)));
  let replies = 0;
  while (has('user', replies + 1)) replies += 1;
  if (!has('assistant', replies + 1)) return (turn) => turn === replies;
  // Most dialogues are too short to stall.
  const { stallTurns = 0 } = plan.settings;
  return () => stallTurns > 0 && replies > stallTurns;
}

function nameCall(call: Call): string {
  return buildJournalKey({ ...call, attempt: 0 });
}

/** A call of a script has no answer. */
class MissingAnswer extends Error {
  override readonly name = 'Unanswered';
}
