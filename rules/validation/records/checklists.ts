import type { RecordForm } from '../../../schemas/dataset/record';
import { validateChecklist } from '../../answers/synthesis/checklist';
import { quoteAnswer } from '../../answers/form/checks';
import { groupBy } from '../../group-by';
import { findMostCommon } from '../most-common';
import type { RowFinding } from '../finding';

/**
 * Where sessions and interactions have no checklists of one to four questions, or not the same for the same preference: each is decomposed
 * once (paper, 2.3).
 * @param reported fields that have a finding already
 */
export function validateChecklists(
  { sessions, interactions }: RecordForm,
  reported: ReadonlySet<string>,
): RowFinding[] {
  const carriers = [
    ...sessions.map(({ preference, checklist }, index) => ({
      preference,
      checklist,
      at: `sessions[${index}]`,
    })),
    ...interactions.map(({ preference, checklist }, index) => ({
      preference,
      checklist,
      at: `interactions[${index}]`,
    })),
  ].filter(({ at }) => !reported.has(`${at}.preference`));
  const different = new Map(
    sessions.map(({ checklist }, index) => [JSON.stringify(checklist), index] as const).toReversed(),
  );
  const malformed = [...different.values()].flatMap((index): RowFinding[] =>
    validateChecklist(sessions[index]?.checklist ?? [])
      .slice(0, 1)
      .map((problem) => ({
        rule: 'session-checklist',
        field: `sessions[${index}].checklist`,
        message: `${problem}.`,
      })),
  );
  const unlike = [...groupBy(carriers, ({ preference }) => preference).values()].flatMap((same) => {
    const usual = findMostCommon(same.map(({ checklist }) => JSON.stringify(checklist)));
    return same
      .filter(({ checklist }) => JSON.stringify(checklist) !== usual)
      .map(({ at, preference }): RowFinding => {
        const model = same.find(({ checklist }) => JSON.stringify(checklist) === usual);
        return {
          rule: 'session-checklist',
          field: `${at}.checklist`,
          message: `expected the checklist of ${model?.at ?? 'the others'}, as the preference is the same (${quoteAnswer(preference)}), found a different one.`,
        };
      });
  });
  const unlikeFields = new Set(unlike.map(({ field }) => field));
  return [...unlike, ...malformed.filter(({ field }) => !unlikeFields.has(field))];
}
