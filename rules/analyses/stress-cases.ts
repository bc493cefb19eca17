import type { Instance } from '../../schemas/dataset/instance';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import type { OptionKind } from '../../schemas/evaluation/choice';
import type { StressKind } from '../../schemas/evaluation/stress';
import { isSameText } from '../texts/spelling';
import { listOptions, type ChoiceRow } from '../choice/options';
import { createRandom } from '../sampling/random';
import { sortByKey } from './groups';

/** A row of a data set, as far as a stress test depends on it. */
export type StressRow = ChoiceRow & Pick<Instance, 'current_request' | 'current_checklist'>;

/** A preference that is matched with the true checklist of a persona. */
interface StressCase {
  readonly persona_id: string;
  readonly kind: StressKind;
  readonly preference: string;
  readonly checklist: string[];
}

/** Preferences of everybody. They say nothing about how a response should be, so they cover no checklist. */
export const GENERAL_PREFERENCES = [
  'Responses should be helpful, accurate and easy to understand.',
  'Responses must answer the request completely and correctly.',
  'Responses should be relevant to the request and useful in practice.',
  "Responses should take the user's situation and goals into account.",
  'Responses must be well written and free of errors.',
  'Responses should be of high quality and meet the expectations of the user.',
];

/**
 * Returns the cases of the first `count` personas: the true preference, and wrong ones as far as the rows determine them. A preference with the
 * words of the true one is no wrong one. All are matched with the checklist of the changing row, if there is one, because only it has a preference
 * from before. The contrastive preference is an exception: it contrasts with the one before the change, and may agree with the one after it.
 * @param personas the rows of each, in the order drawn; those after the first `count` only lend their preference to others
 */
export function listStressCases(
  personas: readonly (readonly StressRow[])[],
  count: number,
  seed: number,
): StressCase[] {
  const tested = personas.flatMap((rows) => {
    const row = findRow(rows, 'changing') ?? rows[0];
    return row === undefined ? [] : [{ rows, row }];
  });
  return tested.slice(0, count).flatMap(({ rows, row }, at) => {
    const options = listOptions(rows, seed);
    const find = (optionKind: OptionKind) => options.find(({ kind }) => kind === optionKind)?.preference;
    const unchanged = findRow(rows, 'contrastive') ?? findRow(rows, 'consistent');
    const following = tested.slice(at + 1).find((candidate) => !isSamePreference(candidate.row, row));
    const otherPersona = following ?? tested.find((candidate) => !isSamePreference(candidate.row, row));
    return [
      ...toCase('true', row, row.current_contextual_preference),
      ...toCase('original', row, find('changed') === undefined ? undefined : find('original')),
      ...toCase('contrastive', unchanged, find('contrastive')),
      ...toCase('other-persona', row, otherPersona?.row.current_contextual_preference),
      ...toCase('general', row, createRandom(seed, 'stress', row.persona_id).pick(GENERAL_PREFERENCES)),
    ];
  });
}

function isSamePreference(a: StressRow, b: StressRow): boolean {
  return isSameText(a.current_contextual_preference, b.current_contextual_preference);
}

function toCase(kind: StressKind, row: StressRow | undefined, preference: string | undefined): StressCase[] {
  if (row === undefined || preference === undefined) return [];
  const { persona_id, current_checklist: checklist } = row;
  return [{ persona_id, kind, preference, checklist }];
}

/** A response, and the type of the row on whose checklist it is judged. */
interface CrossedResponse<Row> {
  readonly response: Row;
  readonly on: InstanceType;
}

/**
 * Draws a response of a persona that was written for one preference, to be judged on another: that of the row with the same request and a changed
 * preference. With the true preference as its input, it may be of either row. From a history, only the consistent row's counts: a response to
 * the changing row may follow the preference before the change. Undefined if the rows or the responses lack one.
 * @param responses the persona's rows by one judge
 */
export function drawCrossed<Row extends ScoreRow>(
  persona: readonly StressRow[],
  responses: readonly Row[],
  seed: number,
): CrossedResponse<Row> | undefined {
  const consistent = findRow(persona, 'consistent');
  const changing = findRow(persona, 'changing');
  if (
    consistent === undefined ||
    changing === undefined ||
    consistent.current_request !== changing.current_request ||
    isSamePreference(consistent, changing)
  ) {
    return undefined;
  }
  const scored = responses.filter(({ task, state }) => task === 'generation' && state === 'scored');
  const informed = scored.filter(
    ({ context, instance_type: type }) => context === 'preference' && type !== 'contrastive',
  );
  const otherResponses = scored.filter(
    ({ context, instance_type: type }) => context !== 'none' && type === 'consistent',
  );
  const usable = sortByKey(informed.length > 0 ? informed : otherResponses);
  if (usable.length === 0) return undefined;
  const response = createRandom(seed, 'stress', consistent.persona_id).pick(usable);
  return { response, on: response.instance_type === 'consistent' ? 'changing' : 'consistent' };
}

function findRow<Row extends StressRow>(rows: readonly Row[], type: InstanceType): Row | undefined {
  return rows.find((row) => row.instance_type === type);
}
