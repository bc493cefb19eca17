import { EXPRESSION_RATINGS, type ExpressionRating } from '../../../schemas/verification/verification';
import { accept, reject, type CheckResult } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { parseFencedJson } from '../form/fence';
import { findLabel } from '../form/label';
import { orderByNumber } from '../form/numbering';
import { getFields, getList } from '../form/shape';

/** A model's answer on one checklist item. Its quotations have not been compared with the messages yet. */
export interface Expression {
  rating: ExpressionRating;
  quotations: string[];
  explanation: string;
}

/**
 * Returns how far each item is expressed (paper, E and figure 20), by checklist: `{"results":[…]}`. Items are numbered from 1 through all
 * checklists.
 */
export function checkExpressions(
  text: string,
  checklists: readonly (readonly string[])[],
): CheckResult<Expression[][]> {
  const items = checklists.flat();
  const list = getList(parseFencedJson(text), 'results');
  if (!list.ok) return list;
  const expressions: Expression[] = [];
  const indexes: unknown[] = [];
  const problems: string[] = [];
  for (const [place, value] of list.value.entries()) {
    const fields = getFields(value);
    const rating = findLabel(fields?.['rating'], EXPRESSION_RATINGS);
    const quotations: unknown = fields?.['quotations'] ?? [];
    if (rating === undefined) {
      problems.push(
        `result ${place + 1}: rating must be one of ${EXPRESSION_RATINGS.map(quoteAnswer).join(', ')}`,
      );
    } else if (
      !Array.isArray(quotations) ||
      !quotations.every((quotation) => typeof quotation === 'string')
    ) {
      problems.push(`result ${place + 1}: quotations must be a list of texts`);
    } else {
      const explanation = typeof fields?.['explanation'] === 'string' ? fields['explanation'].trim() : '';
      expressions.push({ rating, quotations, explanation });
      indexes.push(fields?.['index']);
    }
  }
  if (problems.length > 0) return reject(problems);
  const name = (number: number) => `checklist item ${number} (${quoteAnswer(items[number - 1] ?? '')})`;
  const ordered = orderByNumber(expressions, indexes, items.length, 'result', name);
  if (!ordered.ok) return ordered;
  let end = 0;
  return accept(checklists.map(({ length }) => ordered.value.slice(end, (end += length))));
}
