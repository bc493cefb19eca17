import { ApplicationFailure } from '@temporalio/activity';
import { checkAssistantTurn } from '../../rules/answers/assistant';
import { checkChecklist } from '../../rules/answers/checklist';
import { checkDescriptions } from '../../rules/answers/describe';
import { checkFactors } from '../../rules/answers/factors';
import { checkJourney, type Journey } from '../../rules/answers/journey';
import { checkUserTurn, type UserTurn } from '../../rules/answers/user';
import { refKey } from '../../rules/answer-ref';
import type { Checked } from '../../rules/checked';
import { drawStructure } from '../../rules/journey';
import { dialogueWorkflowId, personaWorkflowId } from '../../rules/journal-key';
import type { ContextFactor } from '../../schemas/factor';
import type { Persona, PersonaDescription, PersonaTemplate } from '../../schemas/persona';
import type { Checklist, JourneyStructure, PlannedSession } from '../../schemas/session';
import type { Step } from '../../schemas/step';
import type { JourneyRefs, PersonaRefs, SessionRefs, TurnRefs } from './inputs';
import type { SynthesisFiles } from './files';

/** What the answers so far say, read back from the journal by reference. */

export function templateOf(run: SynthesisFiles, persona: number): PersonaTemplate {
  const template = run.templates.get(persona);
  if (template === undefined) {
    // The run has grown since this process read its plan: it is about to read it again, or another process does the work.
    throw ApplicationFailure.create({
      message: `This process does not know persona ${persona} of run ${run.id} yet.`,
      type: 'outdated-plan',
      nextRetryDelay: '2 seconds',
    });
  }
  return template;
}

export async function readPersona(run: SynthesisFiles, refs: PersonaRefs): Promise<Persona> {
  const { first, count, ref } = refs.described;
  const batch = await descriptions.read(run, placeOf(run.id, 'describe', first, ref), (text) =>
    checkDescriptions(text, count),
  );
  const description = batch[refs.persona - first];
  if (description === undefined) {
    throw new Error(`The batch of persona ${first} does not describe persona ${refs.persona}.`);
  }
  return { ...templateOf(run, refs.persona), ...description };
}

export async function readFactors(
  run: SynthesisFiles,
  refs: PersonaRefs & { readonly factors: string },
): Promise<ContextFactor[]> {
  const place = placeOf(personaWorkflowId(run.id, refs.persona), 'factors', 0, refs.factors);
  return factorLists.read(run, place, (text) => checkFactors(text, run.settings.nFactors));
}

export async function readJourney(run: SynthesisFiles, refs: JourneyRefs): Promise<Journey> {
  const factors = await readFactors(run, refs);
  const place = placeOf(personaWorkflowId(run.id, refs.persona), 'journey', 0, refs.journey);
  return journeys.read(run, place, (text) =>
    checkJourney(text, { structure: structureOf(run, refs.persona), factors }),
  );
}

export async function readChecklist(
  run: SynthesisFiles,
  refs: JourneyRefs,
  { index, ref }: SessionRefs['checklist'],
): Promise<Checklist> {
  const place = placeOf(personaWorkflowId(run.id, refs.persona), 'checklist', index, ref);
  return checklists.read(run, place, checkChecklist);
}

export async function readSession(run: SynthesisFiles, refs: SessionRefs): Promise<PlannedSession> {
  const journey = await readJourney(run, refs);
  const session = journey.sessions[refs.session - 1];
  if (session === undefined) {
    throw new Error(`The journey of persona ${refs.persona} has no session ${refs.session}.`);
  }
  return session;
}

/** The turns of a dialogue so far, in order. */
export async function readTurns(
  run: SynthesisFiles,
  refs: { readonly persona: number; readonly session: number },
  turns: readonly TurnRefs[],
): Promise<{ assistant: string; user: UserTurn & { text: string } }[]> {
  const workflowId = dialogueWorkflowId(run.id, refs.persona, refs.session);
  return Promise.all(
    turns.map(async ([assistant, user], index) => ({
      assistant: await readAssistant(run, refs, index + 1, assistant),
      user: await userTurns.read(run, placeOf(workflowId, 'user', index + 1, user), withText),
    })),
  );
}

export async function readAssistant(
  run: SynthesisFiles,
  refs: { readonly persona: number; readonly session: number },
  turn: number,
  ref: string,
): Promise<string> {
  const workflowId = dialogueWorkflowId(run.id, refs.persona, refs.session);
  return assistantTurns.read(run, placeOf(workflowId, 'assistant', turn, ref), checkAssistantTurn);
}

export function structureOf(run: SynthesisFiles, persona: number): JourneyStructure {
  return drawStructure({ nSessions: run.settings.nSessions, seed: run.settings.seed, personaId: persona });
}

function withText(text: string): Checked<UserTurn & { text: string }> {
  const checked = checkUserTurn(text);
  return checked.ok ? { ...checked, value: { ...checked.value, text: text.trim() } } : checked;
}

/**
 * Answers of one kind, kept parsed: what a key's entry says never changes, and no turn should parse the journey anew.
 * Kept until the persona's record is, or until so many others have come that it must have failed.
 */
class Parsed<T> {
  readonly #byWorkflow = new Map<string, Map<string, T>>();

  /** @throws when there is no such entry, or when an entry that was accepted does not pass the check now */
  async read(
    run: SynthesisFiles,
    [workflowId, key]: readonly [workflowId: string, key: string],
    check: (text: string) => Checked<T>,
  ): Promise<T> {
    const kept = this.#byWorkflow.get(workflowId)?.get(key);
    if (kept !== undefined) return kept;
    const entry = await run.journal.get(key);
    const checked = check(entry.answer.text);
    if (!checked.ok) {
      throw ApplicationFailure.nonRetryable(
        `Journal entry ${key} was accepted when it was answered, but does not pass now (${checked.reason}). Continue the run with the version of this program that run.json names.`,
        'journal-mismatch',
      );
    }
    this.#keep(workflowId, key, checked.value);
    return checked.value;
  }

  forget(workflowId: string): void {
    this.#byWorkflow.delete(workflowId);
  }

  #keep(workflowId: string, key: string, value: T): void {
    const values = this.#byWorkflow.get(workflowId) ?? new Map<string, T>();
    values.set(key, value);
    this.#byWorkflow.set(workflowId, values);
    const [oldest] = this.#byWorkflow.keys();
    if (this.#byWorkflow.size > MOST_WORKFLOWS && oldest !== undefined) this.#byWorkflow.delete(oldest);
  }
}
const MOST_WORKFLOWS = 5_000;

const descriptions = new Parsed<PersonaDescription[]>();
const factorLists = new Parsed<ContextFactor[]>();
const journeys = new Parsed<Journey>();
const checklists = new Parsed<Checklist>();
const assistantTurns = new Parsed<string>();
const userTurns = new Parsed<UserTurn & { text: string }>();

/** Lets go of what was parsed for a persona, once its record is kept. */
export function forgetPersona(run: SynthesisFiles, persona: number): void {
  const workflowId = personaWorkflowId(run.id, persona);
  for (const parsed of [factorLists, journeys, checklists]) parsed.forget(workflowId);
  for (let session = 1; session < run.settings.nSessions; session += 1) {
    for (const parsed of [assistantTurns, userTurns]) {
      parsed.forget(dialogueWorkflowId(run.id, persona, session));
    }
  }
}

function placeOf(workflowId: string, step: Step, turn: number, ref: string): readonly [string, string] {
  return [workflowId, refKey(workflowId, step, turn, ref)];
}
