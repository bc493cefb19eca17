import type { ModelRequest } from '../../model';
import { createRandom, type Random } from '../../../rules/sampling/random';
import { ERROR_TYPES, type ErrorType } from '../../../schemas/evaluation/evaluation';
import { MATCH_LABELS, type MatchLabel } from '../../../schemas/matching/match-label';
import { formBelief, pickExpectation } from '../belief';
import { findWishes } from '../feedback';
import type { SimulatedOptions } from '../options';
import { findFactor, readLog, findTopic, type LoggedSession } from '../log';
import {
  readExpectations,
  isContrary,
  statePreference,
  type Expectation,
  findSides,
  SIDES,
  type Side,
} from '../preference';
import { composeReply } from '../reply';
import { readChecklist, enumerate, fill, drawChance, renderJsonBlock, computeWordOverlap } from '../text';
import { REPLIES } from '../vocabulary';

const TEXTS = REPLIES.evaluation;

/** Returns the preference that seems to apply to the request, based on the log (paper, 2.2). */
export function answerInfer({ values }: ModelRequest, random: Random, { reads }: SimulatedOptions): string {
  const { curr_request: request = '', interaction_log: log = '' } = values;
  const { sessions, from, expectations } = formBelief({ request, log, reads }, random);
  const opening =
    sessions === 0
      ? 'There is no earlier conversation, so I can only go by the request.'
      : fill(random.pick(TEXTS.openings), {
          count: String(sessions),
          sessions: enumerate(from.map((number) => `session ${number}`)),
        });
  const rules = expectations.map(({ words }) => words);
  const findings = rules.map((rule) => fill(random.pick(TEXTS.findings), { rule }));
  return [
    '### Analysis',
    [opening, ...findings].join(' '),
    '### Most Likely Preference',
    statePreference(random, rules),
  ].join('\n\n');
}

/**
 * Chooses the option that has most of what the log reveals, and least of the contrary. Without any such sign the choice depends on the request and the
 * options alone, as that of a model that does not read the log.
 */
export function answerChoose({ values }: ModelRequest, random: Random, { reads }: SimulatedOptions): string {
  const { curr_request: request = '', interaction_log: log = '', options = '' } = values;
  const { expectations, isGuess } = formBelief({ request, log, reads }, random);
  const expectedSides = isGuess ? [] : expectations.flatMap(({ side }) => side ?? []);
  const blind = createRandom('choice', request, options);
  const ratings = blind
    .shuffle(options.split('\n'))
    .map((line) => {
      const sides = findSides(line);
      const isKept = (side: Side) => sides.includes(side);
      const isBroken = (side: Side) => sides.some((shownSide) => isContrary(side, shownSide));
      return { line, rating: expectedSides.filter(isKept).length - expectedSides.filter(isBroken).length };
    })
    .toSorted((a, b) => b.rating - a.rating);
  return `### Choice\n\n${ratings[0]?.line.slice(0, 1) ?? ''}`;
}

/** Percentage of the known wishes of the user that a response carries out. */
const CARRIED_OUT_PERCENT = 88;

/** Returns a response to the request that follows the given preference, or the inferred one (paper, 2.2). */
export function answerRespond({ values }: ModelRequest, random: Random, { reads }: SimulatedOptions): string {
  const { curr_request: request = '', preference, interaction_log: log = '' } = values;
  const wishes =
    preference === undefined
      ? formBelief({ request, log, reads }, random).expectations
      : readExpectations(preference);
  const carriedOut = wishes.filter(() => drawChance(random, CARRIED_OUT_PERCENT));
  return composeReply({ request, carriedOut, revised: false }, random);
}

/** Summarizes the log's sessions one by one, in a single answer (paper, figure 23). */
export function answerSummarize({ values }: ModelRequest, random: Random): string {
  const summaries = readLog(values['interaction_log'] ?? '').map((session, place) => ({
    session_id: place + 1,
    analysis: fill(random.pick(TEXTS.sessionAnalyses), {
      factor: findFactor(session.about),
      messages: session.remarks.length === 1 ? 'one message' : `${session.remarks.length} messages`,
    }),
    context: [`It involves ${findFactor(session.about)}.`, `It is about ${findTopic(session.about)}.`],
    preferences: summarizePreferences(session, random),
  }));
  return renderJsonBlock({ summaries });
}

/** Percentage of the preferences revealed by remarks that get into the summary. */
const SUMMARIZED_PERCENT = { named: 95, requested: 75, praised: 50 } as const;

function summarizePreferences({ remarks }: LoggedSession, random: Random): string[] {
  const sides = remarks
    .flatMap(findWishes)
    .filter(({ clarity }) => drawChance(random, SUMMARIZED_PERCENT[clarity]))
    .map(({ side }) => side);
  const preferences = [...new Set(sides)].map(
    (side) => `Answers should ${pickExpectation(side, random).words}.`,
  );
  return preferences.length > 0 ? preferences : ['No particular preference was expressed.'];
}

/** Percentage of labels that are one step off: a matcher that never errs would leave nothing to compare matchers by. */
const SLIP_PERCENT = 5;

/** Labels how far a preference covers each entry of a checklist (paper, 2.3); in PrefMatcher's form if shown no examples. */
export function answerMatch({ values }: ModelRequest, random: Random, { judge }: SimulatedOptions): string {
  const { preference = '', checklist = '', examples } = values;
  const results = readChecklist(checklist).map((entry, place) => {
    const label = judge === undefined ? slip(rateCoverage(entry, preference), random) : VERDICTS[judge];
    const reasoning = examples === undefined ? {} : { reasoning: random.pick(TEXTS[label]) };
    return { index: place + 1, entry, ...reasoning, label };
  });
  return examples === undefined ? JSON.stringify(results) : renderJsonBlock({ results });
}

/** Labels of every checklist entry by a matcher or judge that is biased on purpose. */
const VERDICTS = { lenient: 'Fully Covered', harsh: 'Not Covered' } as const;

function slip(label: MatchLabel, random: Random): MatchLabel {
  if (!drawChance(random, SLIP_PERCENT)) return label;
  const place = MATCH_LABELS.indexOf(label);
  return random.pick(MATCH_LABELS.filter((_, labelPlace) => Math.abs(labelPlace - place) === 1));
}

/** Credit for a checklist entry, by how far the response satisfies it. */
const CREDIT = { 'Fully Covered': 1, 'Partially Covered': 0.5, 'Not Covered': 0 };

/** Scores of a response that does nothing and one that does everything: a judge seldom gives the worst or the best score. */
const LOWEST = 2;
const HIGHEST = 9;

/** Judges how well a response follows a preference's checklist, with a score from 1 to 10 (paper, 2.3). */
export function answerJudge({ values }: ModelRequest, random: Random, { judge }: SimulatedOptions): string {
  const { ai_response: response = '', preference = '', checklist = '' } = values;
  const entries = readChecklist(checklist);
  const labelledEntries = (entries.length > 0 ? entries : [preference]).map((entry) => ({
    entry,
    label: judge === undefined ? rateResponse(entry, response) : VERDICTS[judge],
  }));
  const share = labelledEntries.reduce((sum, { label }) => sum + CREDIT[label], 0) / labelledEntries.length;
  return [
    "### Evaluation of AI Assistant's Response",
    labelledEntries
      .map(({ entry, label }, place) => `${place + 1}. **${entry}** ${random.pick(TEXTS[label])}`)
      .join('\n'),
    '### Evaluation Label',
    share === 1 ? 'Satisfied' : share === 0 ? 'Not Satisfied' : 'Partially Satisfied',
    '### Evaluation Score',
    String(Math.round(LOWEST + (HIGHEST - LOWEST) * share) + random.pick([-1, 0, 0, 0, 1])),
  ].join('\n\n');
}

/** Classifies the error of an inferred preference (paper, table 2): the type of most of its parts. */
export function answerClassify({ values }: ModelRequest, random: Random): string {
  const types = readExpectations(values['inferred_preference'] ?? '').map((part) =>
    classifyPart(part, values),
  );
  const count = (type: ErrorType) => types.filter((partType) => partType === type).length;
  const [type] = ERROR_TYPES.toSorted((a, b) => count(b) - count(a));
  const mostFrequent = types.length === 0 || type === undefined ? 'Vagueness' : type;
  return renderJsonBlock({ explanation: random.pick(TEXTS[mostFrequent]), type: mostFrequent });
}

function classifyPart({ words, side }: Expectation, values: ModelRequest['values']): ErrorType {
  const { preference = '', session_preferences: sessions = '', curr_request: request = '' } = values;
  const otherLines = sessions.split('\n').filter((line) => !line.includes(preference.trim()));
  if (otherLines.some((line) => rateCoverage(words, line) === 'Fully Covered')) return 'Incorrect Context';
  if (rateCoverage(words, preference) !== 'Not Covered') return 'Vagueness';
  if (computeWordOverlap(words, request) >= 0.4) return 'Shallow Inference';
  // So short a wish is too general to be anybody's.
  return side === undefined && words.split(' ').length <= 5 ? 'Vagueness' : 'Hallucination';
}

/** Rates how far a preference covers a checklist entry: the same expectation, another one of its type, or none. */
function rateCoverage(entry: string, preference: string): MatchLabel {
  const [side] = findSides(entry);
  const preferredSides = findSides(preference);
  if (side === undefined || preferredSides.length === 0)
    return rateOverlap(computeWordOverlap(entry, preference));
  return rateSides(side, preferredSides);
}

/** Rates how far a response satisfies a checklist entry: by its sentences if they are this model's, else by its words. */
function rateResponse(entry: string, response: string): MatchLabel {
  const [expectedSide] = findSides(entry);
  const lower = response.toLowerCase();
  const shownSides = SHOWS.filter(({ pieces }) => pieces.every((piece) => lower.includes(piece)));
  if (expectedSide === undefined || shownSides.length === 0)
    return rateOverlap(computeWordOverlap(entry, response));
  return rateSides(
    expectedSide,
    shownSides.map(({ side }) => side),
  );
}

function rateSides(expectedSide: Side, sides: readonly Side[]): MatchLabel {
  if (sides.includes(expectedSide)) return 'Fully Covered';
  return sides.some(({ type, choice }) => type === expectedSide.type && choice !== expectedSide.choice)
    ? 'Partially Covered'
    : 'Not Covered';
}

/** Rates by the share of common words. */
function rateOverlap(share: number): MatchLabel {
  if (share >= 0.5) return 'Fully Covered';
  return share >= 0.25 ? 'Partially Covered' : 'Not Covered';
}

/** The sentences that carry out an expectation, split at their topic. */
const SHOWS = SIDES.map((side) => ({ side, pieces: side.shows.toLowerCase().split('{topic}') }));
