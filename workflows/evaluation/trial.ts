import type { AnswerRef } from '../../engine/journal/key';
import type { TrialOutcomes } from '../../activities/evaluation/make-trial';
import { LISTS, buildMatchTurn, type InferenceWork, type TrialWork } from '../../rules/trials/trials';
import type { EvaluationSteps } from '../../schemas/run/settings';
import { proxyEvaluationModelActivities } from '../options';
import { createNeed } from './usable-answer';

export interface EvaluationModels {
  readonly run: string;
  /** By number, from 1, as the evaluation's inputs list them. */
  readonly models: readonly string[];
  readonly evaluators: readonly string[];
  readonly steps: EvaluationSteps;
}

interface TrialInput extends EvaluationModels {
  readonly work: TrialWork;
}

export interface TrialResult {
  /** Calls that gave nothing that could be used. */
  readonly missing: number;
}

/**
 * One model on one instance (paper, 2.2 and 2.3): it infers the preference, which is then decomposed and matched in both directions,
 * and responds to the request, which is then judged. It responds only after it has inferred: both requests begin with the same
 * history, which a provider has in its cache once the first is answered. Where it is given summaries it makes them first.
 * One activity makes these calls, as long as all goes well, and returns what each came to; what has to be repaired is asked for call by call.
 * @throws ApplicationFailure `misconfigured` when the configuration is invalid
 */
export async function trial({ run, steps, work }: TrialInput): Promise<TrialResult> {
  const { inferences, judges, generations: _, ...key } = work;
  const place = { run, ...key };
  const { need, missing } = createNeed(run, steps, work);
  const activities = proxyEvaluationModelActivities();
  let made: Promise<TrialOutcomes> | undefined;
  const trialMade = () => (made ??= activities.makeTrial({ run, ...work }));

  const summarized =
    key.given === 'summary'
      ? await need(
          'summarize',
          0,
          (at) => activities.summarizeSessions({ ...place, ...at }),
          async () => (await trialMade()).summary,
        )
      : undefined;
  if (key.given === 'summary' && summarized === undefined) return { missing: missing() };
  const given = {
    ...place,
    ...(summarized === undefined ? {} : { summary: summarized.ref }),
    bothTasks: inferences.length > 0 && judges.length > 0,
  };

  async function infer(): Promise<AnswerRef | undefined> {
    const inferred = await need(
      'infer',
      0,
      (at) => activities.inferPreference({ ...given, ...at }),
      async () => (await trialMade()).inference,
    );
    // An inference that is read as the reference reads it may be empty, and matches nothing.
    return inferred === undefined || inferred.value === '' ? undefined : inferred.ref;
  }

  async function evaluateInference(
    inference: AnswerRef,
    { decomposer, matchers }: InferenceWork,
    index: number,
  ): Promise<void> {
    const evaluated = async () => (await trialMade()).evaluated?.[index];
    const decomposed = await need(
      'decompose',
      decomposer,
      (at) => activities.decomposeInference({ ...place, inference, decomposer, ...at }),
      async () => (await evaluated())?.decomposition,
    );
    if (decomposed === undefined) return;
    const refs = { ...place, inference, decomposer, decomposition: decomposed.ref };
    await awaitAll(
      matchers
        .flatMap((matcher) => LISTS.map((list) => ({ matcher, list })))
        .map(({ matcher, list }, position) =>
          need(
            'match',
            buildMatchTurn(decomposer, matcher, list),
            (at) => activities.matchChecklist({ ...refs, matcher, list, ...at }),
            async () => (await evaluated())?.matched?.[position],
          ),
        ),
    );
  }

  async function respond(): Promise<void> {
    const response = await need(
      'respond',
      0,
      (at) => activities.generateResponse({ ...given, ...at }),
      async () => (await trialMade()).response,
    );
    if (response === undefined) return;
    await awaitAll(
      judges.map((judge, position) =>
        need(
          'judge',
          judge,
          (at) => activities.judgeResponse({ ...place, response: response.ref, judge, ...at }),
          async () => (await trialMade()).judged?.[position],
        ),
      ),
    );
  }

  const inferred = inferences.length > 0 ? await infer() : undefined;
  await awaitAll([
    ...(inferred === undefined
      ? []
      : inferences.map((one, index) => evaluateInference(inferred, one, index))),
    ...(judges.length > 0 ? [respond()] : []),
  ]);
  return { missing: missing() };
}

/** Waits for all, also when one has failed: what the others answer is paid for, and kept. */
export async function awaitAll(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}
