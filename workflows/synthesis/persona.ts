import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
} from '@temporalio/workflow';
import type { SynthesisScript } from '../../activities/synthesis/make-calls';
import { buildPersonaWorkflowId } from '../../engine/journal/key';
import { getRevision } from '../../engine/journal/revisions';
import { simulateDialogue } from '../../rules/method/dialogue';
import { synthesizePersona } from '../../rules/method/persona';
import { CallsFailed } from '../../rules/method/script';
import type { DescriptionRef, SynthesisCall } from '../../rules/method/synthesis-calls';
import type { FailedPlace, PersonaOutcome } from '../../schemas/run/outcome';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { buildFailedPlaces, carryOut, findMisconfiguration } from '../carry-out';
import { personaClosed, personaEasing } from '../messages';
import { proxyModelActivities, storeActivities } from '../options';

interface PersonaInput {
  readonly run: string;
  readonly settings: SynthesisSettings;
  readonly persona: number;
  readonly described: DescriptionRef;
  /** The restarts of this persona; absent for none. */
  readonly restarts?: readonly Restart[];
}

/**
 * Synthesizes one persona, from its description to its record (`rules/method/persona.ts`). Always reports its end to the run. On failure it stores
 * the failed work, and fails.
 */
export async function persona(input: PersonaInput): Promise<void> {
  const { run, persona: number, described, restarts } = input;
  try {
    await synthesize(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const revision = getRevision(restarts, number);
    const work = listFailedWork(error, input).map((place) => ({ ...place, ...revision }));
    const misconfigured = error instanceof CallsFailed ? findMisconfiguration(error.failures) : undefined;
    let outcome: PersonaOutcome =
      misconfigured === undefined
        ? { persona: number, state: 'failed' }
        : { persona: number, state: 'misconfigured', cause: misconfigured };
    try {
      if (misconfigured === undefined) {
        const script = { script: 'persona', persona: number, described } as const;
        outcome = await storeActivities.keepFailure({ run, persona: number, restarts, script, work });
      }
    } finally {
      await reportToRun(input, outcome);
    }
    throw ApplicationFailure.nonRetryable(`Persona ${number} failed.`, 'persona-failed', work);
  }
  await reportToRun(input, { persona: number, state: 'finished' });
}

async function synthesize(input: PersonaInput): Promise<void> {
  const { run, settings, persona: number, described, restarts } = input;
  const simulated = settings.nSessions - 1;
  let left = simulated;
  const simulate: typeof simulateDialogue = function* (plan, refs) {
    try {
      return yield* simulateDialogue(plan, refs);
    } finally {
      left -= 1;
      if (left === Math.floor(simulated / 2)) void easeWindow(input);
    }
  };
  const refs = { persona: number, described };
  const script = synthesizePersona({ run, settings, restarts }, refs, simulate);
  await carryOut(script, (call, outcomes) =>
    proxyModelActivities().makeCalls({ run, restarts, script: getScript(call), known: outcomes }),
  );
  await storeActivities.keepRecord({ run, restarts, ...refs });
}

/** Returns the script that a call belongs to: that of its dialogue, or of the persona. */
function getScript(call: SynthesisCall): SynthesisScript {
  if (call.step === 'describe') throw new Error('A persona is described by its run.');
  const { persona: number, described } = call;
  if (!('session' in call)) return { script: 'persona', persona: number, described };
  const { factors, journey, session, checklist } = call;
  return { script: 'dialogue', persona: number, described, factors, journey, session, checklist };
}

/** Names the failed work, from any error. */
function listFailedWork(error: unknown, { run, persona: number }: PersonaInput): FailedPlace[] {
  if (error instanceof CallsFailed) return buildFailedPlaces(error.failures, number);
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const kind = cause instanceof ApplicationFailure ? (cause.type ?? 'unexpected') : 'unexpected';
  return [{ workflowId: buildPersonaWorkflowId(run, number), persona: number, kind }];
}

/** Signals that the run can begin other work. If the signal fails, the run does so when this persona ends. */
async function easeWindow({ run, persona: number }: PersonaInput): Promise<void> {
  try {
    await getExternalWorkflowHandle(run).signal(personaEasing, number);
  } catch {
    // The persona itself does not need its run.
  }
}

async function reportToRun({ run }: PersonaInput, outcome: PersonaOutcome): Promise<void> {
  await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(run).signal(personaClosed, outcome));
}
