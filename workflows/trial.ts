import type { AnswerRef } from '../rules/answer-ref';
import { matchTurn, type InferenceWork, type TrialWork } from '../rules/trials';
import type { EvaluationSteps } from '../schemas/settings';
import { evaluating } from './options';
import { needing } from './usable';

/** What every workflow of an evaluation goes by. */
export interface EvaluationModels {
  readonly run: string;
  /** By number, from 1, as the evaluation's inputs list them. */
  readonly models: readonly string[];
  readonly evaluators: readonly string[];
  readonly steps: EvaluationSteps;
}

export interface TrialInput extends EvaluationModels {
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
 * @throws ApplicationFailure `misconfigured` when the set-up is at fault
 */
export async function trial({ run, steps, work }: TrialInput): Promise<TrialResult> {
  const { inferences, judges, generations: _, ...key } = work;
  const place = { run, ...key };
  const { need, missing } = needing(run, steps, work);
  const asking = evaluating(run);

  const summarized =
    key.given === 'summary'
      ? await need('summarize', 0, (at) => asking.summarizeSessions({ ...place, ...at }))
      : undefined;
  if (key.given === 'summary' && summarized === undefined) return { missing: missing() };
  const given = {
    ...place,
    ...(summarized === undefined ? {} : { summary: summarized.ref }),
    bothTasks: inferences.length > 0 && judges.length > 0,
  };

  async function infer(): Promise<AnswerRef | undefined> {
    const inferred = await need('infer', 0, (at) => asking.inferPreference({ ...given, ...at }));
    // An inference that is read as the reference reads it may be empty, and matches nothing.
    return inferred === undefined || inferred.value === '' ? undefined : inferred.ref;
  }

  async function evaluateInference(
    inference: AnswerRef,
    { decomposer, matchers }: InferenceWork,
  ): Promise<void> {
    const decomposed = await need('decompose', decomposer, (at) =>
      asking.decomposeInference({ ...place, inference, decomposer, ...at }),
    );
    if (decomposed === undefined) return;
    const refs = { ...place, inference, decomposer, decomposition: decomposed.ref };
    await all(
      matchers.flatMap((matcher) =>
        (['inferred', 'true'] as const).map((list) =>
          need('match', matchTurn(decomposer, matcher, list), (at) =>
            asking.matchChecklist({ ...refs, matcher, list, ...at }),
          ),
        ),
      ),
    );
  }

  async function respond(): Promise<void> {
    const response = await need('respond', 0, (at) => asking.generateResponse({ ...given, ...at }));
    if (response === undefined) return;
    await all(
      judges.map((judge) =>
        need('judge', judge, (at) =>
          asking.judgeResponse({ ...place, response: response.ref, judge, ...at }),
        ),
      ),
    );
  }

  const inferred = inferences.length > 0 ? await infer() : undefined;
  await all([
    ...(inferred === undefined ? [] : inferences.map((one) => evaluateInference(inferred, one))),
    ...(judges.length > 0 ? [respond()] : []),
  ]);
  return { missing: missing() };
}

/** Waits for all, also when one has failed: what the others answer is paid for, and kept. */
export async function all(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}
