import { type Journey, checkJourney } from '../../rules/answers/synthesis/journey';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import { type ContextFactor, NO_RELATED_FACTOR } from '../../schemas/dataset/factor';
import type { Restart } from '../../schemas/run/restart';
import type { Checklist } from '../../schemas/dataset/session';
import { type CallOutcome, askModel, type CheckedAnswer, buildPromptQuestion } from '../ask-model';
import { awaitAll } from '../activity';
import type { SynthesisWorld, PersonaRefs, Place, JourneyRefs } from './inputs';
import {
  createFirstCaller,
  buildStepQuestion,
  caches,
  readPersona,
  readFactors,
  getStructure,
  readJourney,
  getTemplate,
} from './read-run';
import { checkFactors } from '../../rules/answers/synthesis/factors';
import { mapValues } from '../../schemas/map-values';
import { renderFactorsYaml, renderStructure, renderTemplates } from '../../data/prompts/values';
import { checkChecklist } from '../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../rules/answers/synthesis/describe';
import { isDescribed, isTemplate, type PersonaDescription } from '../../schemas/dataset/persona';
import { buildJournalKey } from '../../engine/journal/key';
import { accept } from '../../rules/answers/form/checks';

/** What the first calls of a persona's plan came to; those after one that was not answered well at once are not made. */
export interface PersonaPlanOutcomes {
  readonly factors: CallOutcome<ContextFactor[]>;
  readonly journey?: CallOutcome<Journey>;
  /** By the position of their preferences in the journey. */
  readonly checklists?: readonly CallOutcome<Checklist>[];
}

/**
 * Plans a persona: factors, then the journey, then the checklists of its preferences side by side, for as long as every answer is good
 * at once. Each call is journaled by itself, and whatever has to be decided is left to the workflow, as when a dialogue is carried on.
 */
export async function planPersona(
  world: SynthesisWorld,
  input: PersonaRefs & { readonly restarts?: readonly Restart[] },
): Promise<PersonaPlanOutcomes> {
  const { restarts, ...refs } = input;
  const call = createFirstCaller(world, refs, restarts);

  const factors = await call('factors', 0, (place) => generateFactors(world, { ...refs, ...place }));
  if (factors.good === undefined) return { factors: factors.outcome };
  const listed = { ...refs, factors: factors.good.ref };
  const journey = await call('journey', 0, (place) => generateJourney(world, { ...listed, ...place }));
  if (journey.good === undefined) return { factors: factors.outcome, journey: journey.outcome };
  const planned = { ...listed, journey: journey.good.ref };
  const preferences = listDistinctPreferences(journey.good.value.sessions);
  const checklists = await awaitAll(
    preferences.map((_, position) => {
      const index = position + 1;
      return call('checklist', index, (place) => decomposePreference(world, { ...planned, ...place, index }));
    }),
  );
  return {
    factors: factors.outcome,
    journey: journey.outcome,
    checklists: checklists.map(({ outcome }) => outcome),
  };
}

/** Generates a persona's context factors, the contrastive pair last (paper, B.2). */
export async function generateFactors(
  world: SynthesisWorld,
  input: Place & PersonaRefs,
): Promise<CheckedAnswer<ContextFactor[]>> {
  const { run } = world;
  const persona = await readPersona(run, input);
  const { nFactors, taxonomy } = run.settings;
  const values = {
    n_factors: String(nFactors),
    user_persona: persona.description,
    // The prompt has them already; the simulated model reads values only.
    ...(taxonomy === undefined ? {} : mapValues(taxonomy, (types) => types.join('\n'))),
  };
  return askModel(world, {
    ...buildStepQuestion(run, 'factors', input, [input.persona]),
    turn: 0,
    ...buildPromptQuestion(run, 'synthesis/context_factors_generator', values),
    check: (text) => checkFactors(text, run.settings),
    remember: caches.factors.remember,
  });
}

/** Plans a persona's chronological sessions on the structure drawn for it (paper, B.3). */
export async function generateJourney(
  world: SynthesisWorld,
  input: Place & PersonaRefs & { readonly factors: string },
): Promise<CheckedAnswer<Journey>> {
  const { run } = world;
  const persona = await readPersona(run, input);
  const factors = await readFactors(run, input);
  const structure = getStructure(run, input.persona);
  const { quality, taxonomy } = run.settings;
  const [first, second] = factors.filter((factor) => factor.related_factor !== NO_RELATED_FACTOR);
  const values = {
    n_sessions: String(structure.length),
    series_structure: renderStructure(structure),
    first_factor: first?.factor ?? '',
    second_factor: second?.factor ?? '',
    user_persona: persona.description,
    context_factors: renderFactorsYaml(factors),
  };
  return askModel(world, {
    ...buildStepQuestion(run, 'journey', input, [input.persona]),
    turn: 0,
    ...buildPromptQuestion(run, 'synthesis/sessions_generator', values),
    check: (text) => checkJourney(text, { structure, factors, quality, taxonomy }),
    remember: caches.journeys.remember,
  });
}

/** Decomposes one of a journey's distinct preferences, by its position from 1, into a checklist (paper, 2.3). */
export async function decomposePreference(
  world: SynthesisWorld,
  input: Place & JourneyRefs & { readonly index: number },
): Promise<CheckedAnswer<Checklist>> {
  const { run } = world;
  const journey = await readJourney(run, input);
  const preference = listDistinctPreferences(journey.sessions)[input.index - 1];
  if (preference === undefined) throw new Error(`The journey has no preference number ${input.index}.`);
  const values = { preferences: preference };
  return askModel(world, {
    ...buildStepQuestion(run, 'checklist', input, [input.persona]),
    turn: input.index,
    ...buildPromptQuestion(run, 'synthesis/preference_decomposer', values),
    check: checkChecklist,
    remember: caches.checklists.remember,
  });
}

/**
 * Describes a batch of personas, in the order of their templates (paper, B.1). Of descriptions that were given to the run, no model is
 * asked.
 */
export async function describePersonas(
  world: SynthesisWorld,
  input: Place & { readonly first: number; readonly count: number },
): Promise<CheckedAnswer<PersonaDescription[]>> {
  const { run } = world;
  const templates = Array.from({ length: input.count }, (_, index) => getTemplate(run, input.first + index));
  const question = { ...buildStepQuestion(run, 'describe', input, []), turn: input.first };
  const ready = templates.filter(isDescribed);
  if (ready.length > 0) {
    const value = ready.map(({ description, occupation }) => ({ description, occupation }));
    return { key: buildJournalKey(question), ...accept(value) };
  }
  const values = { seed_descriptions: renderTemplates(templates.filter(isTemplate)) };
  return askModel(world, {
    ...question,
    ...buildPromptQuestion(run, 'synthesis/persona_generator', values),
    check: (text) => checkDescriptions(text, { count: input.count, quality: run.settings.quality }),
  });
}
