import { isMisconfigured, REJECTED } from '../../engine/journal/failed-work';
import { buildAnswerRef, type AnswerRef } from '../../engine/journal/key';
import { MODEL_ERROR_KINDS, type ModelErrorKind } from '../../schemas/model/error-kind';
import type { StepSettings } from '../../schemas/run/settings';
import type { Step } from '../../schemas/run/step';
import { CallsFailed, type Call, type FactsOf, type Script, type SomeFacts } from './script';

/** An answer that a script builds on. */
export interface AcceptedAnswer<S extends Step = Step> {
  readonly ref: AnswerRef;
  readonly facts: FactsOf<S>;
}

/**
 * Asks a model until its answer is good: after a bad answer again with the reason, then with a new sample. After a doubtful answer it asks once
 * more; if the model gives nothing better, the doubtful answer stands. If the repairs make a request too long, the next sample is taken. After
 * two attempts whose reasoning used up the limit, none is made: each is paid for, and more of the same does not help.
 * @throws CallsFailed if no answer is usable, or the model cannot be asked
 */
export function* ask<C extends Call>(
  { maxRepairs, maxSamples }: Pick<StepSettings, 'maxRepairs' | 'maxSamples'>,
  call: C,
): Script<AcceptedAnswer<C['step']>, C> {
  const sampleSize = maxRepairs + 1;
  let doubtful: AcceptedAnswer<C['step']> | undefined;
  let last = 0;
  let exhausted = 0;
  for (let number = 0; number < sampleSize * maxSamples; number += 1) {
    last = number;
    const outcome = yield { call, number: number };
    if (outcome === undefined) throw new Error(`The call ${call.workflowId} ${call.step} got no outcome.`);
    if (outcome.state === 'unanswered') {
      const { kind } = outcome;
      const isRepair = number % sampleSize > 0;
      if (!TOO_LONG.has(kind) || !isRepair) {
        if (doubtful !== undefined && GIVEN_UP.has(kind)) return doubtful;
        throw new CallsFailed([{ call, kind, number }]);
      }
      number += maxRepairs - (number % sampleSize);
    }
    if (outcome.state === 'bad' && outcome.cause === 'reasoning') {
      exhausted += 1;
      if (exhausted === MOST_EXHAUSTED) break;
    }
    if (outcome.state === 'unanswered' || outcome.state === 'bad') continue;
    const facts = requireFacts<C['step']>(call.step, outcome.facts);
    const answer = { ref: buildAnswerRef(call.revision, number), facts };
    if (outcome.state === 'good' || doubtful !== undefined) return answer;
    doubtful = answer;
  }
  // A doubtful answer is usable, even if a bad one follows.
  if (doubtful !== undefined) return doubtful;
  throw new CallsFailed([{ call, kind: 'bad-answers', number: last }]);
}

/** Attempts of a call that end in their reasoning: the first at the usual limit, the second at the raised one. */
const MOST_EXHAUSTED = 2;

function requireFacts<S extends Step>(step: S, facts: SomeFacts | undefined): FactsOf<S> {
  if (hasFacts(step, facts)) return facts;
  throw new Error(`An outcome of step ${step} lacks its facts.`);
}

/** Returns true if an outcome has the facts that scripts need of its step. This is checked because outcomes come from other processes. */
function hasFacts<S extends Step>(step: S, facts: SomeFacts | undefined): facts is FactsOf<S> {
  return (FACTS[step] ?? []).every((name) => facts !== undefined && Object.hasOwn(facts, name));
}

const FACTS: Partial<Record<Step, readonly string[]>> = {
  journey: ['preferences'],
  user: ['score', 'selected'],
  infer: ['isEmpty'],
  guess: ['isEmpty'],
};

/** Kinds of errors of a request that is too long for its model. */
const TOO_LONG: ReadonlySet<string> = new Set<ModelErrorKind>(['context-length', 'window-exceeded']);

/**
 * Kinds of errors with which a model, or its provider, ends a call. After any other, the attempt may still get an answer: a configuration is
 * fixed, a journal repaired, or the attempt was not made yet.
 */
const GIVEN_UP: ReadonlySet<string> = new Set([
  ...MODEL_ERROR_KINDS.filter((kind) => !isMisconfigured({ kind })),
  REJECTED,
]);
