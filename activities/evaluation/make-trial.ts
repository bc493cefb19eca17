import type { Judgement } from '../../rules/answers/evaluation/judgement';
import { buildTrialWorkflowId, type CallKey } from '../../engine/journal/key';
import {
  formatCallPlace,
  LISTS,
  buildMatchTurn,
  type InferenceWork,
  type TrialWork,
} from '../../rules/trials/trials';
import type { MatchLabel, SessionSummary } from '../../schemas/evaluation/evaluation';
import type { Checklist } from '../../schemas/dataset/session';
import type { EvaluationStep } from '../../schemas/run/step';
import type { CheckedAnswer, CallOutcome } from '../ask-model';
import { awaitAll, makeFirstCall } from '../activity';
import type { EvaluationWorld, Place } from './inputs';
import { generateResponse, judgeResponse } from './generation';
import { decomposeInference, inferPreference, summarizeSessions } from './inference';
import { matchChecklist } from './matching';
import { collectCalls, type BatchRound } from '../batch/collect';
import { findTrials } from './find-work';

/** What the first calls of a trial came to; those after one that was not answered well at once are not made. */
export interface TrialOutcomes {
  readonly summary?: CallOutcome<SessionSummary[]>;
  readonly inference?: CallOutcome<string>;
  /** In the order of the work's inferences. */
  readonly evaluated?: readonly EvaluatedInference[];
  readonly response?: CallOutcome<string>;
  /** In the order of the work's judges. */
  readonly judged?: readonly CallOutcome<Judgement>[];
}

interface EvaluatedInference {
  readonly decomposition: CallOutcome<Checklist>;
  /** In the order of the work's matchers, each in both directions. */
  readonly matched?: readonly CallOutcome<MatchLabel[]>[];
}

/**
 * Makes the calls of a trial in the trial's order, for as long as every answer is good at once. Each call is journaled by itself, so an
 * activity that is retried pays for none of them again. Whatever has to be decided, a repair above all, is left to the workflow.
 */
export async function makeTrial(
  world: EvaluationWorld,
  input: TrialWork & { readonly run: string },
): Promise<TrialOutcomes> {
  const { inferences, judges, generations, ...key } = input;
  const workflowId = buildTrialWorkflowId(key.run, key);
  const call = <T>(
    step: EvaluationStep,
    turn: CallKey['turn'],
    ask: (place: Place) => Promise<CheckedAnswer<T>>,
  ) => {
    const revision = generations?.[formatCallPlace(step, turn)] ?? 0;
    return makeFirstCall(world, { workflowId, revision, step, turn }, () =>
      ask({ ...key, workflowId, generation: revision, ask: 0 }),
    );
  };

  const bothTasks = inferences.length > 0 && judges.length > 0;
  const summary =
    key.given === 'summary'
      ? await call('summarize', 0, (place) => summarizeSessions(world, place))
      : undefined;
  const summarized = summary === undefined ? {} : { summary: summary.outcome };
  if (summary !== undefined && summary.good === undefined) return summarized;
  const given = { bothTasks, ...(summary?.good === undefined ? {} : { summary: summary.good.ref }) };

  const evaluateInference = async (
    inference: string,
    { decomposer, matchers }: InferenceWork,
  ): Promise<EvaluatedInference> => {
    const decomposed = await call('decompose', decomposer, (place) =>
      decomposeInference(world, { ...place, inference, decomposer }),
    );
    const decomposition = decomposed.outcome;
    if (decomposed.good === undefined) return { decomposition };
    const refs = { inference, decomposer, decomposition: decomposed.good.ref };
    const matched = await awaitAll(
      matchers.flatMap((matcher) =>
        LISTS.map((list) =>
          call('match', buildMatchTurn(decomposer, matcher, list), (place) =>
            matchChecklist(world, { ...place, ...refs, matcher, list }),
          ),
        ),
      ),
    );
    return { decomposition, matched: matched.map(({ outcome }) => outcome) };
  };

  const respond = async (): Promise<Pick<TrialOutcomes, 'response' | 'judged'>> => {
    if (judges.length === 0) return {};
    const response = await call('respond', 0, (place) => generateResponse(world, { ...place, ...given }));
    const { good } = response;
    if (good === undefined) return { response: response.outcome };
    const judged = await awaitAll(
      judges.map((judge) =>
        call('judge', judge, (place) => judgeResponse(world, { ...place, response: good.ref, judge })),
      ),
    );
    return { response: response.outcome, judged: judged.map(({ outcome }) => outcome) };
  };

  const evaluate = async (): Promise<Pick<TrialOutcomes, 'evaluated'>> => {
    // An inference that is read as the reference reads it may be empty, and matches nothing.
    if (inferred?.good === undefined || inferred.good.value === '') return {};
    const { ref } = inferred.good;
    return { evaluated: await awaitAll(inferences.map((work) => evaluateInference(ref, work))) };
  };

  const inferred =
    inferences.length > 0
      ? await call('infer', 0, (place) => inferPreference(world, { ...place, ...given }))
      : undefined;
  const inference = inferred === undefined ? {} : { inference: inferred.outcome };
  // The response waits until the inference is repaired, as the trial has it.
  if (inferred !== undefined && inferred.good === undefined) return { ...summarized, ...inference };
  const [evaluated, responded] = await awaitAll<TrialOutcomes>([evaluate(), respond()]);
  return { ...summarized, ...inference, ...evaluated, ...responded };
}

/** Which trials are looked at: as for `findTrials`. */
type TrialsToCollect = Omit<Parameters<typeof findTrials>[1], 'from'>;

/** Puts the calls that the open trials can make now into batches. */
export async function collectTrials(world: EvaluationWorld, input: TrialsToCollect): Promise<BatchRound> {
  return collectCalls(world, async function* (collecting) {
    for (let from: number | undefined = 0; from !== undefined;) {
      const page: Awaited<ReturnType<typeof findTrials>> = await findTrials(world, { ...input, from });
      for (const work of page.work) yield () => makeTrial(collecting, { run: input.run, ...work });
      from = page.next;
    }
  });
}
