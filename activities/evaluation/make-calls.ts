import { EvaluationAnswers } from '../../rules/method/evaluation-answers';
import { buildPlan } from '../../rules/method/evaluation-calls';
import type { EvaluationCall } from '../../rules/method/evaluation-rules';
import { openScript, type EvaluationScript } from '../../rules/method/evaluation-script';
import type { Attempt, AttemptOutcome } from '../../rules/method/script';
import { getPurpose } from '../../schemas/evaluation/purpose';
import { openAcceptedAnswers } from '../accepted-answers';
import { collectCalls, COLLECTING, type BatchRound } from '../batch/collect';
import { makeCall, makeCalls, type MadeCalls, type Outcomes } from '../make-calls';
import { findTrials } from './find-work';
import type { EvaluationFiles, EvaluationWorld } from './inputs';
import { buildQuestion } from './questions';

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
  const { workflowId, follow } = openScript(input.script, buildPlan(world.run.inputs));
  const options = { workflowId, known: input.known ?? {} };
  return { workflowId, outcomes: await makeCalls(follow, options, createCaller(world)) };
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
  return openAcceptedAnswers(run, getPurpose(run.inputs), { takesRaw: run.settings.referenceCompatible });
}

/** Selection of trials, as for `findTrials`. */
type TrialsToCollect = Omit<Parameters<typeof findTrials>[1], 'from'>;

/** Collects the calls that the open trials can make now into batches. */
export async function collectTrials(world: EvaluationWorld, input: TrialsToCollect): Promise<BatchRound> {
  return collectCalls(world, async function* (collecting) {
    const call = createCaller(collecting);
    const plan = buildPlan(world.run.inputs);
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Awaited<ReturnType<typeof findTrials>> = await findTrials(world, { ...input, from });
      for (const work of page.work) {
        const { workflowId, follow } = openScript({ script: 'trial', work }, plan);
        yield () => makeCalls(follow, { ...COLLECTING, workflowId }, call);
      }
      from = page.next;
    }
  });
}
