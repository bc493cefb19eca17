import { buildRefKey, buildTrialWorkflowId, type AnswerRef } from '../../engine/journal/key';
import type { Checklist } from '../../schemas/dataset/session';
import type { SessionSummary } from '../../schemas/evaluation/evaluation';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { JournalEntry } from '../../schemas/run/journal';
import { buildAnswerReading, type AnswerReading } from '../answers/evaluation/by-step';
import { checkMatch } from '../answers/evaluation/match';
import { checkContradictions } from '../answers/verification/contradiction';
import { checkExpressions } from '../answers/verification/expressions';
import { checkGuess } from '../answers/verification/guess';
import { buildVerificationId } from '../trials/trials';
import {
  listPersonaQuestions,
  type GuessQuestion,
  type PersonaQuestions,
  type VerifiedInstance,
} from '../verification/questions';
import type { EvaluationCall, HistoryRefs, InferenceRefs, VerifiedRefs } from './evaluation-calls';
import { buildRules, judgeAnswer, type AnswerRules, type JudgedAnswer } from './judge';
import type { CallJudge, ReadAccepted } from './reader';
import type { Attempt } from './script';

/** An evaluation as its answers are read. */
export interface EvaluationRun {
  readonly id: string;
  readonly settings: EvaluationSettings;
  /** A row of the data set, from 1. */
  instance(number: number): Promise<VerifiedInstance>;
}

type CallOf<S extends EvaluationCall['step']> = Extract<EvaluationCall, { readonly step: S }>;

/** What the answers of an evaluation say, read by their references; and the rules of each of its calls. */
export class EvaluationAnswers implements CallJudge<EvaluationCall> {
  readonly #reading: AnswerReading;

  constructor(
    private readonly run: EvaluationRun,
    private readonly read: ReadAccepted,
  ) {
    this.#reading = buildAnswerReading(run.settings.referenceCompatible);
  }

  async judge({ call, ask }: Attempt<EvaluationCall>, entry: JournalEntry): Promise<JudgedAnswer> {
    const { maxTokens } = this.run.settings.steps[call.step];
    return judgeAnswer(entry, { step: call.step, ask }, await this.rulesOf(call), maxTokens);
  }

  isGiven(): boolean {
    return false;
  }

  /** The rules that the answers to a call must keep. */
  async rulesOf(call: EvaluationCall): Promise<AnswerRules> {
    const { takesCut, takesRaw } = this.#reading;
    const rules = await this.#buildRules(call);
    // Labels that cannot be aligned with people's labels do not count for agreement, whatever rules the scores follow.
    const isPair = call.step === 'match' && call.of === 'pair';
    return { ...rules, takesCut: takesCut.has(call.step), takesRaw: takesRaw && !isPair };
  }

  async #buildRules(call: EvaluationCall): Promise<AnswerRules> {
    const reading = this.#reading;
    switch (call.step) {
      case 'summarize': {
        const sessions = await this.#countSessions(call);
        return buildRules((text) => reading.summary(text, sessions));
      }
      case 'infer':
        return buildRules(reading.inference, (value) => ({ isEmpty: value === '' }));
      case 'decompose':
        return buildRules(reading.checklist);
      case 'match':
        return this.#buildMatchRules(call);
      case 'respond':
        return buildRules(reading.response);
      case 'judge':
        return buildRules(reading.judgement);
      case 'classify':
        return buildRules(reading.errorType);
      case 'express': {
        const { expressions } = await this.readQuestions(call.verified);
        const checklists = expressions.map(({ checklist }) => checklist);
        return buildRules((text) => checkExpressions(text, checklists));
      }
      case 'contradict': {
        const { contradictions } = await this.readQuestions(call.verified);
        return buildRules((text) => checkContradictions(text, contradictions.length));
      }
      case 'guess':
        return buildRules(checkGuess, (value) => ({ isEmpty: value === '' }));
    }
  }

  async #buildMatchRules(call: CallOf<'match'>): Promise<AnswerRules> {
    if (call.of === 'pair') return buildRules((text) => checkMatch(text, call.pair.checklist));
    if (call.of === 'guess') {
      const { checklist } = await this.readGuessQuestion(call.verified, call.turn);
      return buildRules((text) => checkMatch(text, checklist));
    }
    const [, checklist] = await this.readMatched(call);
    return buildRules((text) => this.#reading.match(text, checklist));
  }

  /** The preference and the checklist that a match compares: one is true, the other inferred. */
  async readMatched(
    call: InferenceRefs & {
      readonly list: 'inferred' | 'true';
      readonly decomposer: number;
      readonly decomposition: AnswerRef;
    },
  ): Promise<readonly [preference: string, checklist: readonly string[]]> {
    const { instance } = await this.run.instance(call.trial.instance);
    return call.list === 'inferred'
      ? [instance.current_contextual_preference, await this.readDecomposition(call)]
      : [await this.readInference(call), instance.current_checklist];
  }

  async readSummaries({ trial, summary }: HistoryRefs): Promise<SessionSummary[]> {
    if (summary === undefined) throw new Error('A trial with context "summary" has no summaries.');
    const sessions = await this.#countSessions({ trial });
    const key = buildRefKey(buildTrialWorkflowId(this.run.id, trial), 'summarize', 0, summary);
    return (await this.read(key, (text) => this.#reading.summary(text, sessions))).value;
  }

  async readInference({ trial, inference }: InferenceRefs): Promise<string> {
    const key = buildRefKey(buildTrialWorkflowId(this.run.id, trial), 'infer', 0, inference);
    return (await this.read(key, this.#reading.inference)).value;
  }

  async readDecomposition({
    trial,
    decomposer,
    decomposition,
  }: Pick<InferenceRefs, 'trial'> & {
    readonly decomposer: number;
    readonly decomposition: AnswerRef;
  }): Promise<Checklist> {
    const workflowId = buildTrialWorkflowId(this.run.id, trial);
    const key = buildRefKey(workflowId, 'decompose', decomposer, decomposition);
    return (await this.read(key, this.#reading.checklist)).value;
  }

  async readResponse({ trial, response }: Pick<CallOf<'judge'>, 'trial' | 'response'>): Promise<string> {
    const key = buildRefKey(buildTrialWorkflowId(this.run.id, trial), 'respond', 0, response);
    return (await this.read(key, this.#reading.response)).value;
  }

  async readGuess(refs: VerifiedRefs, turn: number, guess: AnswerRef): Promise<string> {
    const key = buildRefKey(buildVerificationId(this.run.id, refs), 'guess', turn, guess);
    return (await this.read(key, checkGuess)).value;
  }

  async readQuestions({ rows }: Pick<VerifiedRefs, 'rows'>): Promise<PersonaQuestions> {
    const persona: VerifiedInstance[] = [];
    for (const row of rows) persona.push(await this.run.instance(row));
    return listPersonaQuestions(persona);
  }

  /** The request that a guess is about. */
  async readGuessQuestion(refs: VerifiedRefs, turn: number): Promise<GuessQuestion> {
    const guess = (await this.readQuestions(refs)).guesses[turn - 1];
    if (guess === undefined) {
      throw new Error(
        `Verification ${this.run.id} has no request ${turn} of instance ${refs.rows.join(', ')}.`,
      );
    }
    return guess;
  }

  async #countSessions({ trial }: Pick<HistoryRefs, 'trial'>): Promise<number> {
    return (await this.run.instance(trial.instance)).instance.prior_interactions.length;
  }
}
