import type { MatchLabel } from '../../schemas/matching/match-label';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { EvaluationStep } from '../../schemas/run/step';
import type { ItemEvidence, Verdict } from '../../schemas/verification/verification';
import type { Contradiction } from '../answers/verification/contradiction';
import type { Expression } from '../answers/verification/expressions';
import { listCallsOf, type CallResult, type FoundCall } from '../method/evaluation-reader';
import type { InstanceQuestions, PersonaQuestions } from '../method/verification-questions';
import { isQuotation } from './quotations';

/** Results of a persona's calls (`rules/method/study.ts`); none for calls that are not due. */
export interface PersonaAnswers {
  /** For each preference, its items; all in one answer. */
  readonly expressions?: CallResult<Expression[][]>;
  /** For each request, the items that the guess covers. */
  readonly guesses: readonly {
    readonly guess?: CallResult<string>;
    readonly match?: CallResult<MatchLabel[]>;
  }[];
  /** For each pair of preferences; all in one answer. */
  readonly contradictions?: CallResult<Contradiction[]>;
}

/** Assigns the results of a persona's calls to its questions. */
export function arrangeAnswers({ guesses }: PersonaQuestions, calls: readonly FoundCall[]): PersonaAnswers {
  const at = <S extends EvaluationStep>(step: S, turn = 1) =>
    listCallsOf(calls, step).find((call) => call.turn === String(turn))?.result;
  return omitUndefined({
    expressions: at('express'),
    contradictions: at('contradict'),
    guesses: guesses.map((_, index) =>
      omitUndefined({ guess: at('guess', index + 1), match: at('match', index + 1) }),
    ),
  });
}

export interface InstanceVerdicts {
  readonly solvable: Verdict;
  readonly challenging: Verdict;
  /** Null for a consistent instance, which has no other preference. */
  readonly contrasting: Verdict | null;
  readonly evidence: VerdictEvidence;
  /** True while a call that they depend on has not been made. */
  readonly isOpen: boolean;
}

interface VerdictEvidence {
  readonly items: readonly ItemEvidence[];
  readonly guess: string | null;
  /** Labels of the current checklist's items. */
  readonly guessLabels: readonly MatchLabel[] | null;
  readonly otherPreference: string | null;
  readonly contradiction: string | null;
  readonly unknownCauses: readonly string[];
  /** The models as named in their responses. */
  readonly answeredBy: readonly string[];
}

/**
 * Returns the verdicts on an instance (paper, 3.2 and E). *Solvable*: the user's messages fully express every item of every relevant preference.
 * *Challenging*: the current request fully reveals no item of the current preference. *Contrasting*: no response satisfies both preferences of a
 * contrastive or a changing instance (paper, 3.1). A verdict is unknown if a call that it depends on gave no usable answer and nothing else
 * decides.
 */
export function computeVerdicts(
  questions: PersonaQuestions,
  use: InstanceQuestions,
  answers: PersonaAnswers,
): InstanceVerdicts {
  const items = use.preferences.flatMap((preference) => listItemEvidence(preference, questions, answers));
  const guessed = readGuess(questions, use, answers);
  const contrast = readContrast(use, answers);
  const usedResults: readonly (CallResult<unknown> | undefined)[] = [
    use.preferences.some(({ question }) => question !== undefined) ? answers.expressions : undefined,
    ...guessed.usedResults,
    contrast.usedResult,
  ];
  return {
    solvable: judgeItems(items, use),
    challenging: guessed.verdict,
    contrasting: contrast.verdict,
    isOpen: usedResults.some((result) => result?.state === 'open'),
    evidence: {
      items,
      guess: guessed.guess,
      guessLabels: guessed.labels,
      otherPreference: use.preferences[1]?.preference ?? null,
      contradiction: contrast.explanation,
      unknownCauses: [
        ...usedResults.flatMap(describeGap),
        ...(use.problem === undefined ? [] : [use.problem]),
      ],
      answeredBy: [
        ...new Set(usedResults.flatMap((result) => (result?.state === 'given' ? result.model : []))),
      ].toSorted(),
    },
  };
}

export function isAccepted({
  solvable,
  challenging,
  contrasting,
}: Pick<InstanceVerdicts, 'solvable' | 'challenging' | 'contrasting'>): boolean {
  return solvable === 'yes' && challenging === 'yes' && (contrasting ?? 'yes') === 'yes';
}

function listItemEvidence(
  { role, preference, checklist, question }: InstanceQuestions['preferences'][number],
  questions: PersonaQuestions,
  { expressions: result }: PersonaAnswers,
): ItemEvidence[] {
  const sessions = question === undefined ? [] : (questions.expressions[question]?.sessions ?? []);
  const messages = sessions.flatMap(({ dialogue }) => dialogue);
  return checklist.map((item, at): ItemEvidence => {
    const place = { role, preference, item };
    if (question === undefined) {
      const explanation = 'No prior session has this preference.';
      return { ...place, rating: 'Not at all', quotations: [], rejected_quotations: [], explanation };
    }
    const expression = result?.state === 'given' ? result.value[question]?.[at] : undefined;
    if (expression === undefined) {
      return { ...place, rating: null, quotations: [], rejected_quotations: [], explanation: null };
    }
    const quotations = expression.quotations.filter((text) => isQuotation(text, messages));
    return {
      ...place,
      rating: quotations.length === 0 ? 'Not at all' : expression.rating,
      quotations,
      rejected_quotations: expression.quotations.filter((text) => !quotations.includes(text)),
      explanation: expression.explanation,
    };
  });
}

function judgeItems(items: readonly ItemEvidence[], { problem }: InstanceQuestions): Verdict {
  if (items.some(({ rating }) => rating !== null && rating !== 'Fully')) return 'no';
  return problem !== undefined || items.some(({ rating }) => rating === null) ? 'unknown' : 'yes';
}

function readGuess(questions: PersonaQuestions, use: InstanceQuestions, { guesses }: PersonaAnswers) {
  const { guess, match } = guesses[use.guess] ?? {};
  const usedResults = [guess, match];
  if (guess?.state !== 'given')
    return { verdict: 'unknown' as const, guess: null, labels: null, usedResults };
  if (guess.value === '') return { verdict: 'yes' as const, guess: '', labels: null, usedResults };
  if (match?.state !== 'given') {
    return { verdict: 'unknown' as const, guess: guess.value, labels: null, usedResults };
  }
  const askedItems = questions.guesses[use.guess]?.checklist ?? [];
  const current = use.preferences[0]?.checklist ?? [];
  const labels = current.flatMap((item) => match.value[askedItems.indexOf(item)] ?? []);
  const verdict: Verdict = labels.includes('Fully Covered') ? 'no' : 'yes';
  return { verdict, guess: guess.value, labels, usedResults };
}

function readContrast({ contradiction, problem }: InstanceQuestions, { contradictions }: PersonaAnswers) {
  if (contradiction === undefined) {
    return { verdict: problem === undefined ? null : ('unknown' as const), explanation: null };
  }
  const answer = contradictions?.state === 'given' ? contradictions.value[contradiction] : undefined;
  if (answer === undefined)
    return { verdict: 'unknown' as const, explanation: null, usedResult: contradictions };
  const verdict: Verdict = answer.verdict === 'Contradictory' ? 'yes' : 'no';
  return { verdict, explanation: answer.explanation, usedResult: contradictions };
}

function describeGap(result: CallResult<unknown> | undefined): string[] {
  if (result === undefined || result.state === 'given') return [];
  if (result.state === 'open') return ['A call was not made yet.'];
  const { step, kind, cause } = result.missing;
  return [`Step ${step} (${kind}): ${cause}`];
}
