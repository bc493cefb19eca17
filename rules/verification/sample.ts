import type { EvaluationInputs, SplitRow } from '../../schemas/evaluation/evaluation-run';
import type { VerificationRequest, VerificationWork } from '../../schemas/evaluation/studies';
import { groupBy } from '../group-by';
import { createChooser } from '../method/evaluation-work';
import { listPersonaQuestions, type VerifiedInstance } from '../method/verification-questions';
import { drawPersonas, type Cohorts } from '../sampling/cohorts';

/** Share of the personas that are verified twice, to measure how far the verifier agrees with itself. */
const REPEATED_SHARE = 0.1;

/** A persona that is verified, for the first or second time, by the rows of its instances. */
interface SampledPersona extends Pick<VerificationWork, 'rows' | 'round'> {
  /** False for one that only an earlier sample has. */
  readonly isDrawn: boolean;
}

/**
 * Samples the personas whose instances are verified, by the seed, and adds those of an earlier sample whose rows are the same now. A larger sample
 * contains every smaller one, and personas that were added to the data come after the others. So neither growth repeats a call.
 */
export function sampleForVerification(
  index: readonly SplitRow[],
  { settings, lists }: Pick<EvaluationInputs, 'settings' | 'lists'>,
  cohorts: Cohorts,
  { sample, ...chosen }: VerificationRequest,
  earlier: readonly Pick<VerificationWork, 'rows' | 'round'>[],
): SampledPersona[] {
  const isWanted = createChooser(chosen, lists);
  const personas = groupBy(index, ({ persona_id }) => persona_id);
  const shuffled = drawPersonas(cohorts, settings.seed, 'verification');
  const matching = shuffled.filter((id) => personas.get(id)?.some(isWanted) === true);
  const sampledIds = matching.slice(0, sample ?? matching.length);
  const repeated = sampledIds.slice(0, Math.ceil(sampledIds.length * REPEATED_SHARE));
  const earlierPlaces = new Set(earlier.map(formatWorkKey));
  const list = (round: SampledPersona['round'], ids: readonly string[]): SampledPersona[] => {
    const drawnIds = new Set(ids);
    // In the order of the data, which are read a few rows at a time.
    return [...personas].flatMap(([id, personaRows]) => {
      // By number, so that rows in another order are asked about as before.
      const rows = personaRows.map(({ number }) => number).toSorted((a, b) => a - b);
      const isDrawn = drawnIds.has(id);
      return isDrawn || earlierPlaces.has(formatWorkKey({ rows, round })) ? [{ rows, round, isDrawn }] : [];
    });
  };
  return [...list(1, sampledIds), ...list(2, repeated)];
}

function formatWorkKey({ rows, round }: Pick<VerificationWork, 'rows' | 'round'>): string {
  return `${round}: ${rows.join(' ')}`;
}

/** Counts the calls for the questions about a persona's instances: one for all of a kind, or one for each request. */
export function countVerificationCalls(
  persona: readonly VerifiedInstance[],
): Pick<VerificationWork, 'expressions' | 'guesses' | 'contradictions'> {
  const { expressions, guesses, contradictions } = listPersonaQuestions(persona);
  return {
    expressions: Math.min(expressions.length, 1),
    guesses: guesses.length,
    contradictions: Math.min(contradictions.length, 1),
  };
}
