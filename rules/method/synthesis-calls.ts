import { buildWorkId, type AnswerRef } from '../../engine/journal/key';
import { computeRevision, findModel } from '../../engine/journal/revisions';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import type { SynthesisStep } from '../../schemas/run/step';
import { ask, type AcceptedAnswer } from './ask';
import type { Call, Script } from './script';

/** Inputs of the scripts of a synthesis run, besides the answers. */
export interface SynthesisScriptPlan {
  /** The run's id. */
  readonly run: string;
  readonly settings: SynthesisSettings;
  /** Absent for none. */
  readonly restarts?: readonly Restart[] | undefined;
}

/** Names a persona by reference: its number, and the batch and answer that describe it. */
export interface PersonaRefs {
  readonly persona: number;
  readonly described: DescriptionRef;
}

export interface DescriptionRef {
  /** The first persona of the batch, which is the describe step's turn. */
  readonly first: number;
  readonly count: number;
  readonly ref: AnswerRef;
}

/** Names a persona with the parts of its journey so far; the turn of the next part is in `listJourneyParts`. */
export interface JourneyStart extends PersonaRefs {
  readonly factors: AnswerRef;
  readonly earlier: readonly AnswerRef[];
}

/** Names a persona whose journey is planned. */
export interface JourneyRefs extends PersonaRefs {
  readonly factors: AnswerRef;
  /** By part. */
  readonly journey: readonly AnswerRef[];
}

/** Names a session about to be simulated, its preference decomposed. */
export interface SessionRefs extends JourneyRefs {
  readonly session: number;
  readonly checklist: ChecklistRef;
}

export interface ChecklistRef {
  /** Position of the preference among the journey's distinct ones, from 1: the checklist step's turn. */
  readonly index: number;
  readonly ref: AnswerRef;
}

/** A finished turn of a dialogue: the assistant's answer, then the user's. */
export type TurnRefs = readonly [assistant: AnswerRef, user: AnswerRef];

/** A finished dialogue by reference. */
export interface DialogueRefs {
  readonly turns: readonly TurnRefs[];
  /** The assistant's last answer if the user reached the turn limit before judging it: the dialogue is unsatisfied. */
  readonly unjudged?: AnswerRef;
}

/** References to everything that a persona's record is made of. */
export interface RecordRefs extends JourneyRefs {
  /** By position among the journey's distinct preferences. */
  readonly checklists: readonly AnswerRef[];
  /** By session, from the first; none for the last. */
  readonly dialogues: readonly DialogueRefs[];
}

/** A call of synthesis, with the references that its request is built from. */
export type SynthesisCall =
  | (PlacedSynthesisStep<'describe'> & { readonly count: number })
  | (PlacedSynthesisStep<'factors'> & PersonaRefs)
  | (PlacedSynthesisStep<'journey'> & JourneyStart)
  /** The turn is the preference's position among the journey's distinct ones, from 1. */
  | (PlacedSynthesisStep<'checklist'> & JourneyRefs)
  | (PlacedSynthesisStep<'assistant'> & SessionRefs & { readonly turns: readonly TurnRefs[] })
  | (PlacedSynthesisStep<'user'> &
      SessionRefs & { readonly turns: readonly TurnRefs[]; readonly answer: AnswerRef });

interface PlacedSynthesisStep<S extends SynthesisStep> extends Call {
  readonly step: S;
  readonly turn: number;
  /** The SPEC of the model that is asked, from the settings or from a restart. */
  readonly spec: string;
}

/** Returns the place of a call of synthesis: the revision and the model that follow from the restarts. */
export function placeStep<S extends SynthesisStep>(
  { run, settings, restarts = [] }: SynthesisScriptPlan,
  step: S,
  turn: number,
  work: { readonly persona: number; readonly session?: number },
): PlacedSynthesisStep<S> {
  const place = { ...work, step, turn };
  return {
    workflowId: buildWorkId(run, step === 'describe' ? {} : work),
    step,
    turn,
    revision: computeRevision(restarts, place),
    spec: findModel(restarts, place, settings.models),
  };
}

/** Asks for a call of synthesis until its answer is good. @throws CallsFailed */
export function askStep<C extends SynthesisCall>(
  { settings }: SynthesisScriptPlan,
  call: C,
): Script<AcceptedAnswer<C['step']>, C> {
  return ask(settings.steps[call.step], call);
}
