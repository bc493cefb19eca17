import { LRUCache } from 'lru-cache';
import { checkChecklist } from '../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import { checkFactors } from '../../rules/answers/synthesis/factors';
import { checkJourney, type Journey } from '../../rules/answers/synthesis/journey';
import { checkUserTurn, type UserTurn, checkAssistantTurn } from '../../rules/answers/synthesis/dialogue';
import type { CheckResult } from '../../rules/answers/form/checks';
import { drawStructure } from '../../rules/journey/structure';
import { buildDialogueId, buildPersonaWorkflowId, buildRefKey, buildWorkId } from '../../engine/journal/key';
import { deriveSeedPlace, placeCall } from '../../engine/journal/revisions';
import { ROLE_OF } from '../../engine/model-facts/roles';
import type { ContextFactor } from '../../schemas/dataset/factor';
import {
  isDescribed,
  type Persona,
  type PersonaDescription,
  type PlannedPersona,
} from '../../schemas/dataset/persona';
import type { Checklist, JourneyStructure, PlannedSession } from '../../schemas/dataset/session';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisStep } from '../../schemas/run/step';
import { readAccepted, type CheckedAnswer, type Question } from '../ask-model';
import { makeFirstCall } from '../activity';
import type {
  JourneyRefs,
  PersonaRefs,
  Place,
  SessionRefs,
  TurnRefs,
  SynthesisFiles,
  SynthesisWorld,
} from './inputs';

/**
 * How a step of this run is asked, and of whom: to be spread into its question.
 * @param work whose call it is: the run's own, a persona's, or a dialogue's
 */
export function buildStepQuestion(
  { id, settings }: SynthesisFiles,
  step: SynthesisStep,
  { generation: revision, ask, spec }: Place,
  work: readonly [] | readonly [persona: number] | readonly [persona: number, session: number],
): Pick<Question<unknown>, 'workflowId' | 'step' | 'spec' | 'limits' | 'revision' | 'ask' | 'place'> {
  const [persona, session] = work;
  return {
    workflowId: buildWorkId(id, { persona, session }),
    step,
    spec: spec ?? settings.models[ROLE_OF[step]],
    limits: settings.steps[step],
    revision,
    ask,
    place: deriveSeedPlace(work, revision),
  };
}

/**
 * How an activity that makes several calls makes each of them, for the first time: in the revision, and of the model, that the restarts of
 * its persona or dialogue lead to.
 */
export function createFirstCaller(
  world: SynthesisWorld,
  work: { readonly persona: number; readonly session?: number },
  restarts?: readonly Restart[],
) {
  const { id, settings } = world.run;
  const workflowId = buildWorkId(id, work);
  return async <T>(step: SynthesisStep, turn: number, ask: (place: Place) => Promise<CheckedAnswer<T>>) => {
    const { asker, place } = placeCall(settings, restarts, { workflowId, ...work, step, turn });
    return makeFirstCall(world, asker, () => ask({ run: id, ...place, ask: 0 }));
  };
}

/** What the answers so far say, read back from the journal by reference. */

export function getTemplate(run: SynthesisFiles, persona: number): PlannedPersona {
  const template = run.templates.get(persona);
  if (template === undefined)
    throw new OutdatedPlan(`This process does not know persona ${persona} of run ${run.id} yet.`);
  return template;
}

export async function readPersona(run: SynthesisFiles, refs: PersonaRefs): Promise<Persona> {
  const template = getTemplate(run, refs.persona);
  if (isDescribed(template)) return template;
  const { first, count, ref } = refs.described;
  const batch = await caches.descriptions.read(run, buildRefKey(run.id, 'describe', first, ref), (text) =>
    checkDescriptions(text, { count, quality: run.settings.quality }),
  );
  const description = batch[refs.persona - first];
  if (description === undefined) {
    throw new Error(`The batch of persona ${first} does not describe persona ${refs.persona}.`);
  }
  return { ...template, ...description };
}

export async function readFactors(
  run: SynthesisFiles,
  refs: PersonaRefs & { readonly factors: string },
): Promise<ContextFactor[]> {
  const key = buildRefKey(buildPersonaWorkflowId(run.id, refs.persona), 'factors', 0, refs.factors);
  return caches.factors.read(run, key, (text) => checkFactors(text, run.settings));
}

export async function readJourney(run: SynthesisFiles, refs: JourneyRefs): Promise<Journey> {
  const factors = await readFactors(run, refs);
  const key = buildRefKey(buildPersonaWorkflowId(run.id, refs.persona), 'journey', 0, refs.journey);
  return caches.journeys.read(run, key, (text) =>
    checkJourney(text, {
      structure: getStructure(run, refs.persona),
      factors,
      quality: run.settings.quality,
      taxonomy: run.settings.taxonomy,
    }),
  );
}

export async function readChecklist(
  run: SynthesisFiles,
  refs: JourneyRefs,
  { index, ref }: SessionRefs['checklist'],
): Promise<Checklist> {
  const key = buildRefKey(buildPersonaWorkflowId(run.id, refs.persona), 'checklist', index, ref);
  return caches.checklists.read(run, key, checkChecklist);
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
  const workflowId = buildDialogueId(run.id, refs.persona, refs.session);
  return Promise.all(
    turns.map(async ([assistant, user], index) => ({
      assistant: await readAssistant(run, refs, index + 1, assistant),
      user: await caches.userTurns.read(run, buildRefKey(workflowId, 'user', index + 1, user), withText),
    })),
  );
}

export async function readAssistant(
  run: SynthesisFiles,
  refs: { readonly persona: number; readonly session: number },
  turn: number,
  ref: string,
): Promise<string> {
  const workflowId = buildDialogueId(run.id, refs.persona, refs.session);
  return caches.assistantTurns.read(run, buildRefKey(workflowId, 'assistant', turn, ref), checkAssistantTurn);
}

export function getStructure(
  { settings }: Pick<SynthesisFiles, 'settings'>,
  persona: number,
): JourneyStructure {
  return drawStructure({ nSessions: settings.nSessions, seed: settings.seed, personaId: persona });
}

function withText(text: string): CheckResult<UserTurn & { text: string }> {
  const checked = checkUserTurn(text);
  return checked.ok ? { ...checked, value: { ...checked.value, text: text.trim() } } : checked;
}

/**
 * Answers of one kind, kept parsed: what a key's entry says never changes, and no turn should parse the journey again. Those that
 * were read longest ago go first: a persona whose record is kept, here or by another process, is not read any more.
 */
class AnswerCache<T extends {}> {
  readonly #byKey: LRUCache<string, T>;

  /** @param most characters of all answers that are kept */
  constructor(most: number) {
    this.#byKey = new LRUCache({ maxSize: most });
  }

  /** @throws when there is no such entry, or when an entry that was accepted does not pass the check now */
  async read(run: SynthesisFiles, key: string, check: (text: string) => CheckResult<T>): Promise<T> {
    const kept = this.#byKey.get(key);
    if (kept !== undefined) return kept;
    const { value, text } = await readAccepted(run, key, check, 'run');
    this.remember(key, value, text);
    return value;
  }

  /** Bound, to be passed on. */
  readonly remember = (key: string, value: T, text: string): void => {
    this.#byKey.set(key, value, { size: key.length + text.length });
  };
}

/**
 * Answers in memory for the calls that are built on them. 16 million characters together: what about a hundred personas in progress read,
 * at the paper's lengths.
 */
export const caches = {
  descriptions: new AnswerCache<PersonaDescription[]>(500_000),
  factors: new AnswerCache<ContextFactor[]>(500_000),
  journeys: new AnswerCache<Journey>(2_000_000),
  checklists: new AnswerCache<Checklist>(1_000_000),
  assistantTurns: new AnswerCache<string>(8_000_000),
  userTurns: new AnswerCache<UserTurn & { text: string }>(4_000_000),
};
