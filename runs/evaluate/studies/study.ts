import type { EvaluationPlan } from '../../../data/run/evaluation-plan';
import type { Cohorts } from '../../../rules/sampling/cohorts';
import type { Task } from '../../../schemas/evaluation/evaluation';
import type { StudyResults } from '../../../schemas/evaluation/results/studies';
import type { AskedStudies, Studies, StudyKind } from '../../../schemas/evaluation/studies';
import type { LabelledPair } from '../../../schemas/matching/labelled-pair';
import type { LocatedRow } from '../located-rows';
import type { StoredEvaluation } from '../outcomes';
import type { EvaluationOptions } from '../options';

/** One kind of study: how a command asks for it, and how its sample is drawn and read. */
export interface Study<Kind extends StudyKind, Results extends StudyResults = StudyResults> {
  /** Tasks of which the command has to evaluate one; none if any command may ask for it. */
  readonly tasks: readonly Task[];
  /** Tasks whose matchers or judges answer its calls. */
  readonly evaluators: readonly Task[];
  /** Whether a call reads all rows of a persona, so that a row changes with any of them. */
  readonly readsPersonas: boolean;
  /** Builds the request of a command's options; undefined if they do not ask for it. */
  readonly buildRequest: (
    options: EvaluationOptions,
    before: EvaluationPlan | undefined,
  ) => Promise<Requests[Kind] | undefined> | Requests[Kind] | undefined;
  /** Draws the sample by the evaluation's seed. */
  readonly draw: (basis: StudyBasis, request: Requests[Kind]) => Promise<Sample<Kind>> | Sample<Kind>;
  /** Returns the request of a sample, to draw it again; absent for a study that is not drawn from the outcomes of trials. */
  readonly getRequest?: (sample: Sample<Kind>) => Requests[Kind];
  /**
   * Reads the results; undefined while a call is open.
   * @param rows those of every trial
   */
  readonly read: (
    evaluation: StoredEvaluation,
    sample: Sample<Kind>,
    rows: readonly LocatedRow[],
  ) => Promise<Results | undefined>;
}

/** Basis of samples. */
export interface StudyBasis {
  readonly evaluation: StoredEvaluation;
  /** Rows of every trial, if a study is drawn from outcomes. */
  readonly rows: readonly LocatedRow[];
  readonly cohorts: Cohorts;
}

/** The stored sample of each study. */
export type Samples = { readonly [Kind in StudyKind]: NonNullable<Studies[Kind]> };
export type Sample<Kind extends StudyKind> = Samples[Kind];

/** The request for each study, as it is stored; for labels, with their pairs. */
export type Requests = {
  readonly [Kind in StudyKind]: Kind extends 'labels' ? Labels : NonNullable<AskedStudies[Kind]>;
};
/** Studies that a command asks for, besides the scores. */
export type StudyRequest = Partial<Requests>;

/** Pairs that people labeled, and the file they are from. */
export interface Labels {
  readonly source: string;
  readonly sha256: string;
  readonly pairs: readonly LabelledPair[];
}
