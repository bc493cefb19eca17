import { buildRefKey, buildTrialId, type AnswerRef, type TrialKey } from '../../engine/journal/key';
import type { Checklist } from '../../schemas/dataset/session';
import type { SessionSummary } from '../../schemas/evaluation/evaluation';
import type { EvaluationSettings } from '../../schemas/evaluation/evaluation-run';
import type { PairWork } from '../../schemas/evaluation/studies';
import type { JournalEntry } from '../../schemas/run/journal';
import type { StepSettings } from '../../schemas/run/settings';
import type { EvaluationStep } from '../../schemas/run/step';
import { buildVerificationId } from './evaluation-work';
import {
  getGuessQuestion,
  listPersonaQuestions,
  type GuessQuestion,
  type PersonaQuestions,
  type VerifiedInstance,
} from './verification-questions';
import type { ChoiceOption } from '../choice/options';
import type { HistoryRefs, InferenceRefs, VerifiedRefs } from './evaluation-calls';
import {
  buildCallRules,
  getCheck,
  type AnswerValues,
  type CallSubject,
  type EvaluationCall,
  type EvaluationCallOf,
} from './evaluation-rules';
import { findJudgement, judgeAnswer, type AnswerRules, type JudgedAnswer } from './judge';
import type { CallJudge, ReadAccepted } from './reader';
import type { Attempt } from './script';
import { readOptions, readShownRow, type EvaluatedRow, type EvaluatedRows } from './trial-subject';

/** An evaluation whose answers are read. */
interface EvaluationRun extends EvaluatedRows<EvaluatedRow> {
  readonly id: string;
  readonly inputs: { readonly settings: EvaluationSettings };
  /** Returns a pair that people labeled, by its id. */
  pair(id: string): Promise<Pick<PairWork, 'preference' | 'checklist'>>;
}

/** Reads the answers of an evaluation by reference, and builds the rules of each of its calls. */
export class EvaluationAnswers implements CallJudge<EvaluationCall> {
  constructor(
    private readonly run: EvaluationRun,
    private readonly read: ReadAccepted,
  ) {}

  async judge(
    { call, number: attempt }: Attempt<EvaluationCall>,
    entry: JournalEntry,
  ): Promise<JudgedAnswer> {
    const { maxTokens } = this.limitsOf(call);
    return (
      findJudgement(entry) ??
      judgeAnswer(entry, { step: call.step, attempt }, await this.rulesOf(call), maxTokens)
    );
  }

  limitsOf({ step }: EvaluationCall): StepSettings {
    return this.run.inputs.settings.steps[step];
  }

  isGiven(): boolean {
    return false;
  }

  /** Returns the rules that the answers to a call must keep. */
  async rulesOf(call: EvaluationCall): Promise<AnswerRules> {
    return buildCallRules(call, this.run.inputs.settings.referenceCompatible, await this.#readSubject(call));
  }

  async #readSubject(call: EvaluationCall): Promise<CallSubject> {
    if ('pair' in call) return { pair: await this.run.pair(call.pair.id) };
    if ('verified' in call) return { questions: await this.readQuestions(call.verified) };
    if (call.step === 'choose') return { options: await this.readOptions(call.trial) };
    if (call.step === 'summarize') return { instance: (await readShownRow(this.run, call.trial)).instance };
    const { instance } = await this.run.instance(call.trial.instance);
    return call.step === 'match' && call.list === 'inferred'
      ? { instance, decomposed: await this.readDecomposition(call) }
      : { instance };
  }

  /** Returns the preference and the checklist that a match compares; one is true, the other inferred. */
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

  async readSummaries({ trial, prepared }: HistoryRefs): Promise<SessionSummary[]> {
    if (prepared === undefined) throw new Error('A trial with context "summary" has no summaries.');
    const { instance } = await readShownRow(this.run, trial);
    return this.#readOfTrial(trial, 'summarize', 0, prepared, { instance });
  }

  /** Returns the context of a memory system. */
  async readMemory({ trial, prepared }: HistoryRefs): Promise<string> {
    if (prepared === undefined)
      throw new Error('A trial with context "memory" has no answer of the memory system.');
    return (await this.#readOfTrial(trial, 'recall', 0, prepared)).context;
  }

  async readInference({ trial, inference }: InferenceRefs): Promise<string> {
    return this.#readOfTrial(trial, 'infer', 0, inference);
  }

  async readDecomposition({
    trial,
    decomposer,
    decomposition,
  }: Pick<InferenceRefs, 'trial'> & {
    readonly decomposer: number;
    readonly decomposition: AnswerRef;
  }): Promise<Checklist> {
    return this.#readOfTrial(trial, 'decompose', decomposer, decomposition);
  }

  async readResponse({
    trial,
    response,
  }: Pick<EvaluationCallOf<'judge'>, 'trial' | 'response'>): Promise<string> {
    return this.#readOfTrial(trial, 'respond', 0, response);
  }

  /** Returns the options of a choice, which depend on all rows of its persona. */
  async readOptions({ instance }: TrialKey): Promise<ChoiceOption[]> {
    return readOptions(this.run, instance);
  }

  async readGuess(refs: VerifiedRefs, turn: number, guess: AnswerRef): Promise<string> {
    return this.#readAnswer(
      buildRefKey(buildVerificationId(this.run.id, refs), 'guess', turn, guess),
      'guess',
    );
  }

  async readQuestions({ rows }: Pick<VerifiedRefs, 'rows'>): Promise<PersonaQuestions> {
    const persona: VerifiedInstance[] = [];
    for (const row of rows) persona.push(await this.run.instance(row));
    return listPersonaQuestions(persona);
  }

  /** Returns the request that a guess is about. */
  async readGuessQuestion(refs: VerifiedRefs, turn: number): Promise<GuessQuestion> {
    return getGuessQuestion(await this.readQuestions(refs), turn);
  }

  async #readOfTrial<S extends EvaluationStep>(
    trial: TrialKey,
    step: S,
    turn: number,
    ref: AnswerRef,
    subject?: CallSubject,
  ): Promise<AnswerValues[S]> {
    const key = buildRefKey(buildTrialId(this.run.id, trial), step, turn, ref);
    return this.#readAnswer(key, step, subject);
  }

  async #readAnswer<S extends EvaluationStep>(
    key: string,
    step: S,
    subject: CallSubject = {},
  ): Promise<AnswerValues[S]> {
    const check = getCheck(step, this.run.inputs.settings.referenceCompatible);
    return (await this.read(key, (text) => check(text, subject))).value;
  }
}
