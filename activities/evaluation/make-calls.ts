import { EvaluationAnswers } from '../../rules/method/evaluation-answers';
import { buildPlan, type WorkResult } from '../../rules/method/evaluation-calls';
import type { EvaluationCall } from '../../rules/method/evaluation-rules';
import type { Attempt, AttemptOutcome, Script } from '../../rules/method/script';
import { conductStudy } from '../../rules/method/study';
import { evaluateTrial } from '../../rules/method/trial';
import { buildTrialWorkflowId } from '../../engine/journal/key';
import { buildStudyWorkflowId, type RetriedCalls, type TrialWork } from '../../rules/method/evaluation-work';
import { getPurpose } from '../../schemas/evaluation/purpose';
import type { StudyWork } from '../../schemas/evaluation/studies';
import { openAcceptedAnswers } from '../accepted-answers';
import { collectCalls, COLLECTING, type BatchRound } from '../batch/collect';
import { makeCall, makeCalls, type MadeCalls, type Outcomes } from '../make-calls';
import { findTrials } from './find-work';
import type { EvaluationFiles, EvaluationWorld } from './inputs';
import { buildQuestion } from './questions';

export type EvaluationScript =
  | { readonly script: 'trial'; readonly work: TrialWork }
  | { readonly script: 'study'; readonly work: StudyWork & RetriedCalls };

interface EvaluationCallsInput {
  readonly run: string;
  readonly script: EvaluationScript;
  /** Outcomes that the workflow has; absent for none. */
  readonly known?: Outcomes;
}

/** Makes calls of a trial, or of a piece of a study, ahead of the workflow. */
export async function makeEvaluationCalls(
  world: EvaluationWorld,
  input: EvaluationCallsInput,
): Promise<MadeCalls> {
  const { workflowId, follow } = openScript(input.script, world.run);
  const options = { workflowId, known: input.known ?? {} };
  return { workflowId, outcomes: await makeCalls(follow, options, createCaller(world)) };
}

/** Returns the generator of a script, and the work whose calls it makes. */
export function openScript(
  { script, work }: EvaluationScript,
  { id: run, inputs }: EvaluationFiles,
): { readonly workflowId: string; readonly follow: Script<WorkResult, EvaluationCall> } {
  const plan = buildPlan(inputs);
  return script === 'trial'
    ? { workflowId: buildTrialWorkflowId(run, work), follow: evaluateTrial(plan, work) }
    : { workflowId: buildStudyWorkflowId(run, work), follow: conductStudy(plan, work) };
}

function createCaller(world: EvaluationWorld): (attempt: Attempt<EvaluationCall>) => Promise<AttemptOutcome> {
  const { run } = world;
  const accepted = openAccepted(run);
  const answers = new EvaluationAnswers(run, accepted.read);
  return (attempt) => makeCall(world, attempt, accepted, (call) => buildQuestion({ run, answers }, call));
}

export function openEvaluationAnswers(run: EvaluationFiles): EvaluationAnswers {
  return new EvaluationAnswers(run, openAccepted(run).read);
}

function openAccepted(run: EvaluationFiles) {
  return openAcceptedAnswers(run, getPurpose(run.inputs), run.settings.referenceCompatible);
}

/** Selection of trials, as for `findTrials`. */
type TrialsToCollect = Omit<Parameters<typeof findTrials>[1], 'from'>;

/** Collects the calls that the open trials can make now into batches. */
export async function collectTrials(world: EvaluationWorld, input: TrialsToCollect): Promise<BatchRound> {
  return collectCalls(world, async function* (collecting) {
    const call = createCaller(collecting);
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Awaited<ReturnType<typeof findTrials>> = await findTrials(world, { ...input, from });
      for (const work of page.work) {
        const { workflowId, follow } = openScript({ script: 'trial', work }, world.run);
        yield () => makeCalls(follow, { ...COLLECTING, workflowId }, call);
      }
      from = page.next;
    }
  });
}
