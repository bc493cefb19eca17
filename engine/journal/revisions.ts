import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import type { SynthesisStep } from '../../schemas/run/step';
import { ROLE_OF } from '../model-facts/roles';

/** The parts of a synthesis call that restarts depend on. */
export interface RestartableCall {
  readonly persona: number;
  /** For steps of a dialogue. */
  readonly session?: number | undefined;
  readonly step: SynthesisStep;
  /** As in the journal's keys; ignored for descriptions. */
  readonly turn: number;
}

/**
 * Returns the revision of a call: that of the latest restart that covers it; 0 if it was never restarted. A retry makes a call again under
 * another key. Earlier calls keep their keys, and so their answers.
 */
export function computeRevision(restarts: readonly Restart[], call: RestartableCall): number {
  return findHighest(restarts.filter((restart) => isCovered(restart, call)));
}

/**
 * Returns the SPEC of the model for a call, from the latest restart that covers it and names one for its role. A restart no longer counts once a
 * later one begins before it: work that begins earlier begins with the settings' models.
 */
export function findModel(
  restarts: readonly Restart[],
  call: RestartableCall,
  models: SynthesisSettings['models'],
): string {
  const role = ROLE_OF[call.step];
  const modelRestarts = restarts.filter(
    (restart) => restart.model?.role === role && isCovered(restart, call) && !isLeftBehind(restart, restarts),
  );
  const latest = modelRestarts.toSorted((a, b) => b.revision - a.revision)[0];
  return latest?.model?.spec ?? models[role];
}

/** Personas described by one call: `count` of them from number `first` on. */
export interface DescriptionBatch {
  readonly first: number;
  readonly count: number;
  /** Number of the repeated description of a single persona; absent for first descriptions. */
  readonly revision?: number;
}

/** Returns the personas that use this batch's description, without those that have since been described on their own. */
export function listDescribedBy(
  { first, count, revision = 0 }: DescriptionBatch,
  restarts: readonly Restart[],
): number[] {
  return Array.from({ length: count }, (_, index) => first + index).filter(
    (number) => computeRevision(restarts, { persona: number, step: 'describe', turn: number }) === revision,
  );
}

/** Returns how often a persona's work was restarted: the highest revision of its restarts, or 0. */
export function countRestarts(restarts: readonly Restart[], persona: number): number {
  return findHighest(restarts.filter((restart) => restart.persona === persona));
}

/** Returns the restarts in effect in each of a persona's revisions: none in the first, all in the last. */
export function listRevisions(restarts: readonly Restart[], persona: number): Restart[][] {
  const personaRestarts = restarts.filter((restart) => restart.persona === persona);
  const revisions = [...new Set(personaRestarts.map(({ revision }) => revision))];
  return [0, ...revisions].map((latest) => personaRestarts.filter(({ revision }) => revision <= latest));
}

/** Returns the number of restarts as the stored field; empty for 0. */
export function getRevision(restarts: readonly Restart[] = [], persona: number): { revision?: number } {
  const revision = countRestarts(restarts, persona);
  return revision === 0 ? {} : { revision };
}

/** Builds the restarts of one command at these places. Those of a persona get its next revision. */
export function buildRestarts(
  places: readonly Omit<Restart, 'revision'>[],
  restarts: readonly Restart[],
): Restart[] {
  return places.map((place) => ({
    ...place,
    // The turn of a description is that of the whole batch.
    turn: place.step === 'describe' ? 0 : place.turn,
    revision: 1 + countRestarts(restarts, place.persona),
  }));
}

/** Returns the parts of a call's seed. Revisions change the seed, because with the old one a restarted call would get the same answer. */
export function deriveSeedPlace(
  place: readonly (string | number)[],
  revision: number,
): readonly (string | number)[] {
  return revision === 0 ? place : [...place, `g${revision}`];
}

/** Returns true if a restart that begins at the first call covers the second: the same call, or one that depends on it. */
export function isCovered(from: RestartableCall, call: RestartableCall): boolean {
  return from.persona === call.persona && COVERED[from.step](from, call);
}

/** By the step that a restart begins at: whether it covers a call of its persona. */
const COVERED: Readonly<Record<SynthesisStep, (from: RestartableCall, call: RestartableCall) => boolean>> = {
  describe: () => true,
  factors: (_, { step }) => step !== 'describe',
  // Earlier parts of a journey are not covered.
  journey: (from, { step, turn }) =>
    step !== 'describe' && step !== 'factors' && (step !== 'journey' || turn >= from.turn),
  checklist: (from, { step, turn }) => isTurn(step) || (step === 'checklist' && turn === from.turn),
  assistant: (from, { session, step, turn }) => isTurn(step) && session === from.session && turn >= from.turn,
  // The assistant's answer in the same turn is not covered, because the user was shown it.
  user: (from, { session, step, turn }) =>
    isTurn(step) && session === from.session && (turn > from.turn || (step === 'user' && turn === from.turn)),
};

function isTurn(step: SynthesisStep): boolean {
  return step === 'assistant' || step === 'user';
}

function isLeftBehind(restart: Restart, restarts: readonly Restart[]): boolean {
  return restarts.some(
    (later) => later.revision > restart.revision && isCovered(later, restart) && !isCovered(restart, later),
  );
}

function findHighest(restarts: readonly Restart[]): number {
  return restarts.reduce((highest, { revision }) => Math.max(highest, revision), 0);
}
