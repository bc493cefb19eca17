import { checkAssistantTurn } from '../rules/answers/assistant';
import { checkChecklist } from '../rules/answers/checklist';
import { checkDescriptions } from '../rules/answers/describe';
import { checkFactors } from '../rules/answers/factors';
import { checkJourney, type Journey } from '../rules/answers/journey';
import { checkUserTurn, type UserTurn } from '../rules/answers/user';
import { refKey } from '../rules/answer-ref';
import type { Checked } from '../rules/checked';
import { drawStructure } from '../rules/journey';
import { dialogueWorkflowId, personaWorkflowId } from '../rules/journal-key';
import type { ContextFactor } from '../schemas/factor';
import type { Persona, PersonaDescription, PersonaTemplate } from '../schemas/persona';
import type { Checklist, JourneyStructure, PlannedSession } from '../schemas/session';
import type { JourneyRefs, PersonaRefs, SessionRefs, TurnRefs } from './inputs';
import type { RunFiles } from './world';

/** What the answers so far say, read back from the journal by reference. */

export function templateOf(run: RunFiles, persona: number): PersonaTemplate {
  const template = run.templates.get(persona);
  if (template === undefined) throw new Error(`Run ${run.id} has no template for persona ${persona}.`);
  return template;
}

export async function readPersona(run: RunFiles, refs: PersonaRefs): Promise<Persona> {
  const { first, count, ref } = refs.described;
  const batch = await descriptions.read(run, refKey(run.id, 'describe', first, ref), (text) =>
    checkDescriptions(text, count),
  );
  const description = batch[refs.persona - first];
  if (description === undefined) {
    throw new Error(`The batch of persona ${first} does not describe persona ${refs.persona}.`);
  }
  return { ...templateOf(run, refs.persona), ...description };
}

export async function readFactors(
  run: RunFiles,
  refs: PersonaRefs & { readonly factors: string },
): Promise<ContextFactor[]> {
  const key = refKey(personaWorkflowId(run.id, refs.persona), 'factors', 0, refs.factors);
  return factorLists.read(run, key, (text) => checkFactors(text, run.settings.nFactors));
}

export async function readJourney(run: RunFiles, refs: JourneyRefs): Promise<Journey> {
  const factors = await readFactors(run, refs);
  const key = refKey(personaWorkflowId(run.id, refs.persona), 'journey', 0, refs.journey);
  return journeys.read(run, key, (text) =>
    checkJourney(text, { structure: structureOf(run, refs.persona), factors }),
  );
}

export async function readChecklist(
  run: RunFiles,
  refs: JourneyRefs,
  { index, ref }: SessionRefs['checklist'],
): Promise<Checklist> {
  const key = refKey(personaWorkflowId(run.id, refs.persona), 'checklist', index, ref);
  return checklists.read(run, key, checkChecklist);
}

export async function readSession(run: RunFiles, refs: SessionRefs): Promise<PlannedSession> {
  const journey = await readJourney(run, refs);
  const session = journey.sessions[refs.session - 1];
  if (session === undefined) {
    throw new Error(`The journey of persona ${refs.persona} has no session ${refs.session}.`);
  }
  return session;
}

/** The turns of a dialogue so far, in order. */
export async function readTurns(
  run: RunFiles,
  refs: { readonly persona: number; readonly session: number },
  turns: readonly TurnRefs[],
): Promise<{ assistant: string; user: UserTurn & { text: string } }[]> {
  const workflowId = dialogueWorkflowId(run.id, refs.persona, refs.session);
  return Promise.all(
    turns.map(async ([assistant, user], index) => ({
      assistant: await readAssistant(run, refs, index + 1, assistant),
      user: await userTurns.read(run, refKey(workflowId, 'user', index + 1, user), withText),
    })),
  );
}

export async function readAssistant(
  run: RunFiles,
  refs: { readonly persona: number; readonly session: number },
  turn: number,
  ref: string,
): Promise<string> {
  const workflowId = dialogueWorkflowId(run.id, refs.persona, refs.session);
  return assistantTurns.read(run, refKey(workflowId, 'assistant', turn, ref), checkAssistantTurn);
}

export function structureOf(run: RunFiles, persona: number): JourneyStructure {
  return drawStructure({ nSessions: run.settings.nSessions, seed: run.settings.seed, personaId: persona });
}

function withText(text: string): Checked<UserTurn & { text: string }> {
  const checked = checkUserTurn(text);
  return checked.ok ? { ...checked, value: { ...checked.value, text: text.trim() } } : checked;
}

/**
 * Answers of one kind, kept parsed: what a key's entry says never changes, and no turn should parse the journey anew.
 * Holds enough for some twenty personas at work.
 */
class Parsed<T> {
  readonly #values = new Map<string, T>();

  /** @throws Error when there is no such entry, or when an entry that was accepted does not pass the check now. */
  async read(run: RunFiles, key: string, check: (text: string) => Checked<T>): Promise<T> {
    const kept = this.#values.get(key);
    if (kept !== undefined) return kept;
    const entry = await run.journal.get(key);
    const checked = check(entry.answer.text);
    if (!checked.ok) {
      throw new Error(`Journal entry ${key} was accepted, but does not pass now: ${checked.reason}`);
    }
    for (const oldest of this.#values.keys()) {
      if (this.#values.size < MOST_PARSED) break;
      this.#values.delete(oldest);
    }
    this.#values.set(key, checked.value);
    return checked.value;
  }
}
const MOST_PARSED = 4_000;

const descriptions = new Parsed<PersonaDescription[]>();
const factorLists = new Parsed<ContextFactor[]>();
const journeys = new Parsed<Journey>();
const checklists = new Parsed<Checklist>();
const assistantTurns = new Parsed<string>();
const userTurns = new Parsed<UserTurn & { text: string }>();
