import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
} from '@temporalio/workflow';
import { formatCount } from '../../schemas/text/count-text';
import type { DescriptionRef, JourneyRefs, DialogueRefs } from '../../activities/synthesis/inputs';
import type { PersonaPlanOutcomes } from '../../activities/synthesis/plan-persona';
import { buildPersonaWorkflowId } from '../../engine/journal/key';
import { listDistinctPreferences } from '../../rules/journey/preferences';
import { buildFailedWork, isFailedCall, isMisconfigured } from '../../engine/journal/failed-work';
import type { FailedWork, PersonaOutcome } from '../../schemas/run/outcome';
import type { Restart } from '../../schemas/run/restart';
import type { SynthesisSettings } from '../../schemas/run/settings';
import { ask, preferFirstCall, reportTranscript } from '../ask';
import { dialogue } from './dialogue';
import { personaClosed, personaEasing } from '../messages';
import { proxyModelActivities, storeActivities } from '../options';
import { placeCall, getRevision } from '../../engine/journal/revisions';

interface PersonaInput {
  readonly run: string;
  readonly settings: SynthesisSettings;
  readonly persona: number;
  readonly described: DescriptionRef;
  /** The restarts of this persona; absent for none. */
  readonly restarts?: readonly Restart[];
}

/**
 * One persona, from its description to its record: context factors, journey, checklists, then the dialogues side by
 * side. One activity makes the calls of the plan, as long as all goes well; what has to be repaired is asked for call by call. Always reports to its run how it ended; on failure stores what failed, and fails.
 */
export async function persona(input: PersonaInput): Promise<void> {
  try {
    await synthesize(input);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const revision = getRevision(input.restarts, input.persona);
    const work = listFailedWork(error, input).map((one) => ({ ...one, ...revision }));
    const misconfigured = work.find(isMisconfigured);
    const cause = misconfigured?.cause ?? work[0]?.cause ?? '';
    const number = input.persona;
    let outcome: PersonaOutcome = {
      persona: number,
      state: misconfigured ? 'misconfigured' : 'failed',
      cause,
    };
    try {
      if (!misconfigured)
        outcome = await storeActivities.keepFailure({ run: input.run, persona: number, work });
    } finally {
      await reportToRun(input, outcome);
    }
    throw ApplicationFailure.nonRetryable(cause, 'persona-failed', work);
  }
  await reportToRun(input, { persona: input.persona, state: 'finished' });
}

async function synthesize(input: PersonaInput): Promise<void> {
  const { run, settings, persona: number, described, restarts } = input;
  const refs = { run, persona: number, described };
  const workflowId = buildPersonaWorkflowId(run, number);
  const { planPersona, generateFactors, generateJourney, decomposePreference } = proxyModelActivities();
  const at = (step: 'factors' | 'journey' | 'checklist', turn: number) =>
    placeCall(settings, restarts, { workflowId, persona: number, step, turn });

  const forFactors = at('factors', 0);
  let plan: PersonaPlanOutcomes | undefined;
  const factors = await ask(
    forFactors.asker,
    settings.steps.factors,
    preferFirstCall(
      async () =>
        (plan = await planPersona({ ...refs, ...(restarts === undefined ? {} : { restarts }) })).factors,
      (n) => generateFactors({ ...refs, ...forFactors.place, ask: n }),
    ),
  );
  const forJourney = at('journey', 0);
  const journey = await ask(
    forJourney.asker,
    settings.steps.journey,
    preferFirstCall(
      () => plan?.journey,
      (n) => generateJourney({ ...refs, factors: factors.ref, ...forJourney.place, ask: n }),
    ),
  );
  const planned: JourneyRefs = { ...refs, factors: factors.ref, journey: journey.ref };
  const { sessions } = journey.value;
  const preferences = listDistinctPreferences(sessions);
  const checklists = await Promise.all(
    preferences.map(async (_, position) => {
      const index = position + 1;
      const forChecklist = at('checklist', index);
      const checklist = await ask(
        forChecklist.asker,
        settings.steps.checklist,
        preferFirstCall(
          () => plan?.checklists?.[position],
          (n) => decomposePreference({ ...planned, index, ...forChecklist.place, ask: n }),
        ),
      );
      return checklist.ref;
    }),
  );
  // The last session only gives its request: it is not simulated.
  const simulated = sessions.slice(0, -1);
  let left = simulated.length;
  const dialogues = await awaitDialogues(
    simulated.map(async (session) => {
      const preference = preferences.indexOf(session.preference);
      const checklist = { index: preference + 1, ref: checklists[preference] ?? '' };
      try {
        const ended = await dialogue(settings, { ...planned, session: session.id, checklist }, restarts);
        reportTranscript({ event: 'completed', session: session.id });
        return ended;
      } finally {
        left -= 1;
        if (left === Math.floor(simulated.length / 2)) void easeWindow(input);
      }
    }),
  );
  await storeActivities.keepRecord({ ...planned, checklists, dialogues, ...getRevision(restarts, number) });
}

/** Waits for every dialogue, also when one has failed: what the others answer is paid for, and kept for a retry. */
async function awaitDialogues(dialogues: Promise<DialogueRefs>[]): Promise<DialogueRefs[]> {
  const settled = await Promise.allSettled(dialogues);
  const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (errors.length > 0) throw errors.find((error) => isCancellation(error)) ?? new DialoguesFailed(errors);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

class DialoguesFailed extends Error {
  override readonly name = 'DialoguesFailed';
  constructor(readonly errors: readonly unknown[]) {
    super(`${formatCount(errors.length, 'dialogue')} failed.`);
  }
}

/** What failed, by name, out of whatever was thrown. */
function listFailedWork(error: unknown, input: PersonaInput): FailedWork[] {
  if (error instanceof DialoguesFailed) return error.errors.flatMap((one) => listFailedWork(one, input));
  if (error instanceof ApplicationFailure) {
    const call: unknown = error.details?.[0];
    if (isFailedCall(call)) return [buildFailedWork(call, input.persona)];
  }
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return [
    {
      workflowId: buildPersonaWorkflowId(input.run, input.persona),
      persona: input.persona,
      kind: cause instanceof ApplicationFailure ? (cause.type ?? 'unexpected') : 'unexpected',
      cause: cause instanceof Error ? cause.message : String(cause),
      reasons: [],
    },
  ];
}

/** Lets the run begin other work. Where the signal fails, the run does so when this persona ends. */
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
