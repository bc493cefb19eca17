import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import type { SynthesisStep } from '../../schemas/run/step';
import { ROLE_OF } from '../model-facts/roles';

/** A call of synthesis, as far as restarts distinguish calls. */
export interface RestartableCall {
  readonly persona: number;
  /** With the steps of a dialogue. */
  readonly session?: number | undefined;
  readonly step: SynthesisStep;
  /** As in the journal's keys; that of a description makes no difference. */
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
 * Returns the SPEC that is asked for a call: that of the latest restart which covers it and names one for its role. One that a
 * later restart goes back behind no longer counts: work that begins earlier begins with the settings' models.
 */
export function findModel(
  restarts: readonly Restart[],
  call: RestartableCall,
  models: SynthesisSettings['models'],
): string {
  const role = ROLE_OF[call.step];
  const named = restarts.filter(
    (restart) => restart.model?.role === role && isCovered(restart, call) && !isLeftBehind(restart, restarts),
  );
  const latest = named.toSorted((one, other) => other.generation - one.generation)[0];
  return latest?.model?.spec ?? models[role];
}

/** Personas described by one call: `count` of them from number `first` on. */
export interface DescriptionBatch {
  readonly first: number;
  readonly count: number;
  /** Of a persona that is described once more, by itself: which time this is; absent for the first. */
  readonly generation?: number;
}

/** Returns the personas that use this batch's description: those it asks for, without the ones described by themselves since. */
export function listDescribedBy(
  { first, count, generation: revision = 0 }: DescriptionBatch,
  restarts: readonly Restart[],
): number[] {
  return Array.from({ length: count }, (_, index) => first + index).filter(
    (number) => computeRevision(restarts, { persona: number, step: 'describe', turn: number }) === revision,
  );
}

/** How often a persona's work was restarted: the highest revision of its restarts, else 0. */
export function countRestarts(restarts: readonly Restart[], persona: number): number {
  return findHighest(restarts.filter((restart) => restart.persona === persona));
}

/** Returns the restarts of a persona as they were in each of its revisions: none in the first, all of them in the last. */
export function listRevisions(restarts: readonly Restart[], persona: number): Restart[][] {
  const own = restarts.filter((restart) => restart.persona === persona);
  const revisions = [...new Set(own.map(({ generation }) => generation))];
  return [0, ...revisions].map((revision) => own.filter(({ generation }) => generation <= revision));
}

/** Returns the same as the stored field; none for never. */
export function getRevision(restarts: readonly Restart[] = [], persona: number): { generation?: number } {
  const revision = countRestarts(restarts, persona);
  return revision === 0 ? {} : { generation: revision };
}

/** Returns the restarts of these places, which one command asks for: those of a persona get its next revision. */
export function buildRestarts(
  places: readonly Omit<Restart, 'generation'>[],
  restarts: readonly Restart[],
): Restart[] {
  return places.map((place) => ({ ...place, generation: 1 + countRestarts(restarts, place.persona) }));
}

/**
 * What a call's seed is made of, besides what names it: with the seed it had, a restarted call would only be given
 * the same answer again.
 */
export function deriveSeedPlace(
  place: readonly (string | number)[],
  revision: number,
): readonly (string | number)[] {
  return revision === 0 ? place : [...place, `g${revision}`];
}

/** Returns true when the restart begins at the call, or at something that the call depends on. */
export function isCovered(restart: Restart, call: RestartableCall): boolean {
  return restart.persona === call.persona && COVERED[restart.step](restart, call);
}

/** By the step that a restart begins at, whether it covers a call of its persona. */
const COVERED: Readonly<Record<SynthesisStep, (from: Restart, call: RestartableCall) => boolean>> = {
  describe: () => true,
  factors: (_, { step }) => step !== 'describe',
  journey: (_, { step }) => step !== 'describe' && step !== 'factors',
  checklist: (from, { step, turn }) => isTurn(step) || (step === 'checklist' && turn === from.turn),
  assistant: (from, { session, step, turn }) => isTurn(step) && session === from.session && turn >= from.turn,
  // Not the assistant's answer of that turn, which the user was shown.
  user: (from, { session, step, turn }) =>
    isTurn(step) && session === from.session && (turn > from.turn || (step === 'user' && turn === from.turn)),
};

function isTurn(step: SynthesisStep): boolean {
  return step === 'assistant' || step === 'user';
}

function isLeftBehind(restart: Restart, restarts: readonly Restart[]): boolean {
  return restarts.some(
    (later) =>
      later.generation > restart.generation && isCovered(later, restart) && !isCovered(restart, later),
  );
}

function findHighest(restarts: readonly Restart[]): number {
  return restarts.reduce((most, { generation }) => Math.max(most, generation), 0);
}
