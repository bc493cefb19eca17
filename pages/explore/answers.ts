import type { Guess } from '../../schemas/dataset/guess';
import type { Instance } from '../../schemas/dataset/instance';
import type { EvaluationRow, ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import type { MatchLabel } from '../../schemas/matching/match-label';
import type { Provenance } from '../../schemas/dataset/provenance';
import type { Table } from '../../schemas/text/table';
import type { Section } from '../../runs/tables/section';
import type { VerificationRow } from '../../schemas/verification/verification';
import type { SectionCharts } from '../charts/figure';

// Answers of the explorer's server to its page.

/** Header with the name of the snapshot that a page shows. The server answers no request of a page that shows another one. */
export const SNAPSHOT_HEADER = 'Cupid-Snapshot';

/** Progress of reading the sources. The version changes with every addition. */
export interface Progress {
  readonly version: number;
  /** Instances read so far. */
  readonly indexed: number;
  /** Number of all instances; absent while more may come. */
  readonly total?: number;
  /** True while a run may add something. */
  readonly live: boolean;
  /** True until the sources were read once. */
  readonly reading: boolean;
  /** Reasons why reading ended early, and sources or rows that could not be read. */
  readonly problems: readonly string[];
}

/** Progress of reading the sources, and whether they are still what the page shows. */
export interface SourceState extends Progress {
  /** Name of the snapshot that the server shows. */
  readonly snapshot: string;
  /** True if a file has changed since the page was opened. */
  readonly hasChanged: boolean;
}

/** Answers about all that the page shows, by the names of their requests. */
export interface WholeAnswers {
  readonly about: Exploration;
  readonly summary: SummaryView;
  readonly leaderboards: LeaderboardsView;
  readonly analyses: readonly SectionView[];
  readonly charts: readonly ChartsView[];
  readonly costs: readonly PageTable[];
  readonly failures: readonly FailureView[];
  readonly missing: readonly MissingView[];
  readonly unfinished: readonly UnfinishedView[];
}

/** Facts about everything that the page explores. */
export interface Exploration {
  /** Names on the command line. */
  readonly names: readonly string[];
  /** Name of the state that is shown: a hash of what it was read from. */
  readonly snapshot: string;
  /** True when the data or a model is known to be simulated. */
  readonly simulated: boolean;
  /** The columns of the results, in order. */
  readonly columns: readonly ResultColumn[];
  /** Values to filter by; empty if the sources lack them. */
  readonly facets: Facets;
  /** True if `cupid verify` has verified instances. */
  readonly hasVerdicts: boolean;
  /** True if people have reviewed the instances, or begun to. */
  readonly hasLabels: boolean;
  /** Warnings that scores or verdicts belong to other data than the page shows. */
  readonly warnings: readonly string[];
  /** Failed work; absent without a synthesis run. */
  readonly failures?: number;
  /** Missing scores; absent without results. */
  readonly missing?: number;
  /** Personas that the run has begun and not finished. */
  readonly unfinished: number;
  readonly progress: Progress;
}

export interface Facets {
  readonly types: readonly string[];
  readonly factorTypes: readonly string[];
  readonly preferenceTypes: readonly string[];
  readonly tasks: readonly string[];
}

/** Progress of a run, and what is known of its data. */
export interface SummaryView {
  readonly facts: readonly string[];
  /** Shortcuts, and personas without distinct options. */
  readonly warnings: readonly string[];
  readonly tables: readonly PageTable[];
}

/** The results of the evaluations. */
export interface LeaderboardsView {
  /** Sentences about every two models, those about the best ones first. */
  readonly comparisons: readonly ComparisonView[];
  readonly boards: readonly Leaderboard[];
  /** Notes on what is comparable or missing, and on numbers that rest on few personas. */
  readonly notes: readonly string[];
}

export interface ComparisonView {
  readonly text: string;
  /** Absent if no instance counts for both models, or while the results are read. */
  readonly link?: ViewChange;
}

/** The results of one task and evaluator. */
export interface Leaderboard {
  readonly task: Task;
  readonly table: PageTable;
  /** Further numbers: by instance type, and precision and recall. */
  readonly details: readonly PageTable[];
}

/** An analysis of an evaluation. */
export interface SectionView extends Section {
  /** The results folder. */
  readonly source: string;
}

/** The charts of an evaluation. */
export interface ChartsView {
  /** The results folder. */
  readonly source: string;
  readonly charts: readonly SectionCharts[];
}

/** Changes to the address that show the instances behind a number. */
export type ViewChange = Readonly<Record<string, string>>;

export type PageTable = Table<ViewChange>;

/** A column of results: model, task and evaluator. */
export interface ResultColumn extends Pick<
  ScoreRow,
  'task' | 'model' | 'context' | 'evaluator' | 'evaluator_form' | 'decomposer'
> {
  /** Place among the columns, which depends on when its first row was read. */
  readonly number: number;
  /** Name in addresses. The same results have it in every order of their folders. */
  readonly id: string;
  /** The results folder. */
  readonly source: string;
}

/** Facts that only the run of an instance records. Its quality figures are filtered by them. */
export interface InstanceRunFacts {
  readonly factorType?: string | undefined;
  readonly preferenceType?: string | undefined;
  readonly task?: string | undefined;
  /** Bad answers of its persona. */
  readonly badAnswers: number;
  /** Prior sessions whose dialogue ended at the turn limit. */
  readonly turnLimits: number;
  /** Prior sessions with a message that quotes the preference or an item. */
  readonly quoting: number;
  /** Prior sessions with an item that the user never selected, among those that some instance of the persona depends on. */
  readonly unselected: number;
  /** Checklist items that no message of a relevant session touches on. */
  readonly untouched: number;
  /** Guesses that find the right option; absent without a choice. */
  readonly guesses?: readonly Guess[];
}

/** Facts that the list shows of an instance. */
export interface ListedInstance extends Partial<InstanceRunFacts> {
  readonly persona: string;
  readonly type: string;
  readonly factor: string;
  /** The beginning of the request. */
  readonly request: string;
  readonly sessions: number;
  /** Characters of its prior sessions. */
  readonly length: number;
  /** Prior sessions whose dialogue never reached a score of 10. */
  readonly unsatisfied: number;
  /** Prior sessions whose user was satisfied with the first answer. */
  readonly firstAnswers: number;
  /** Share of the preference's words that the request reveals. */
  readonly leakage: number;
  readonly verdict?: 'accepted' | 'rejected' | 'undecided' | undefined;
  /** The decision of the raters of `cupid review` so far; absent if none has labeled it. */
  readonly labels?:
    | { readonly state: 'accepted' | 'rejected' | 'open'; readonly differ: boolean }
    | undefined;
  /** Scores by column; null if nothing was scored. */
  readonly scores: readonly ListedScore[];
  /** The version in which it appeared. */
  readonly version: number;
}

export interface ListedScore {
  readonly column: number;
  readonly state: ScoreRow['state'];
  /** F1 of an inference, the score of a response. */
  readonly value: number | null;
}

/** A page of the list. */
export interface InstancePage {
  readonly rows: readonly ListedInstance[];
  /** Number of the first row, from 0. */
  readonly from: number;
  /** Instances that match the filter, as far as they were read. */
  readonly matching: number;
  readonly progress: Progress;
}

/** An instance with everything that is known of it. */
export interface InstanceView {
  readonly instance: Instance;
  /** In order of the prior sessions. */
  readonly sessions: readonly SessionView[];
  readonly listed: ListedInstance;
  readonly persona?: PersonaView;
  readonly provenance?: Provenance;
  /** Cost of all calls of its persona. */
  readonly cost?: CallCost;
  /** The workflow in Temporal's UI. */
  readonly workflow?: string;
  readonly results: readonly ResultView[];
  readonly verification?: VerificationView;
  /** The tasks of `cupid review` that it depends on. */
  readonly labelled: readonly LabelledTask[];
}

/** A task of `cupid review`: a question about the items of a preference, and what raters said. */
export interface LabelledTask {
  readonly kind: 'preference' | 'request';
  readonly preference: string;
  readonly outcome: 'sound' | 'rejected' | 'open';
  readonly differ: boolean;
  /** Those who have annotated it. */
  readonly raters: readonly string[];
  readonly items: readonly {
    readonly item: string;
    /** In the order of the raters. */
    readonly labels: readonly (MatchLabel | null)[];
  }[];
  /** Edits, and reasons for leaving the instances out. */
  readonly notes: readonly string[];
}

export interface SessionView {
  /** Relation to the current preference: same context and preference, same context only, or neither. */
  readonly relation: 'relevant' | 'other-preference' | 'other';
  /** Number in the journey; absent if unknown. */
  readonly number?: number | undefined;
  readonly task?: string | undefined;
  readonly checklist?: readonly string[] | undefined;
  readonly isSatisfied?: boolean | undefined;
}

export interface PersonaView {
  readonly number: number;
  readonly occupation: string;
  readonly description: string;
  readonly traits: readonly string[];
}

export interface ResultView {
  readonly column: number;
  readonly row: EvaluationRow;
}

export interface VerificationView {
  readonly row: VerificationRow;
  /** First message that was quoted for each item of the row. */
  readonly first: readonly (MessagePlace | null)[];
}

/** Position of a message: its session and its place there, both from 0. */
export interface MessagePlace {
  readonly session: number;
  readonly message: number;
}

/** Model calls of a dialogue. */
export interface DialogueView {
  readonly turns: readonly TurnView[];
}

export interface TurnView {
  /** From 1. */
  readonly turn: number;
  readonly assistant: readonly AttemptView[];
  /** The user's reply to it; none after the last message that the limit allows. */
  readonly user: readonly AttemptView[];
}

/** An answer of a model. */
export interface AttemptView {
  readonly verdict: 'used' | 'bad' | 'superseded';
  /** The rule that it breaks. */
  readonly problem?: string;
  readonly text: string;
  readonly model: string;
  readonly durationMs: number;
  readonly tokens: { readonly input: number | null; readonly output: number | null };
  readonly score?: number;
  readonly decision?: string;
  /** Checklist items, from 1, that it raises. */
  readonly raised?: readonly number[];
}

/** Cost of calls. A lower bound if a model has no price or a call reported no tokens. */
export interface CallCost {
  readonly usd: number;
  readonly lowerBound: boolean;
}

/** Failed work of a run. */
export interface FailureView {
  /** Name for `cupid retry --only`, such as `17/s3`. */
  readonly name: string;
  readonly persona: number | null;
  readonly session: number | null;
  readonly step: string | null;
  readonly kind: string;
  readonly cause: string;
  /** Problems of its answers. */
  readonly reasons: readonly string[];
  readonly calls: number;
  readonly cost: CallCost;
  /** Command that retries it. */
  readonly retry: string;
  /** The workflow in Temporal's UI. */
  readonly workflow?: string;
}

/** Missing scores of a results folder. */
export interface MissingView {
  readonly folder: string;
  /** Command that retries them. */
  readonly remedy: string;
  readonly scores: readonly MissingScores[];
}

/** Scores of a column that are missing because of the same step and kind of failure. */
export interface MissingScores {
  readonly column: ResultColumn;
  readonly step: string;
  readonly kind: string;
  /** The first different ones. */
  readonly causes: readonly string[];
  readonly count: number;
}

/** A persona that a run has begun and not finished. */
export interface UnfinishedView {
  readonly persona: number;
  /** Its answered calls so far. */
  readonly calls: number;
  /** Dialogues that have begun, and their turns so far. */
  readonly sessions: readonly { readonly session: number; readonly turns: number }[];
}
