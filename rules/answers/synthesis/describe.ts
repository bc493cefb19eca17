import { personaDescriptionSchema, type PersonaDescription } from '../../../schemas/dataset/persona';
import type { Quality } from '../../../schemas/run/settings';
import { listDescriptionProblems } from '../../quality/descriptions';
import { accept, reject, type CheckResult } from '../form/checks';
import { parseFencedJson } from '../form/fence';
import { validateCount, getList, parseEntries } from '../form/shape';

/**
 * The descriptions of a batch of `count` templates, in the batch's order: `{"personas":[…]}`. Strictly, the problems that
 * `listDescriptionProblems` finds are checked too.
 */
export function checkDescriptions(
  text: string,
  { count, quality }: { readonly count: number; readonly quality: Quality },
): CheckResult<PersonaDescription[]> {
  const read = parseFencedJson(text);
  if (!read.ok) return read;
  const list = getList(read.value, 'personas');
  if (!list.ok) return list;
  const personas = parseEntries(personaDescriptionSchema, list.value, 'persona');
  const problems = [...validateCount(list.value.length, count, 'personas'), ...personas.problems];
  if (problems.length === 0 && quality === 'strict')
    problems.push(...listDescriptionProblems(personas.values));
  return problems.length > 0 ? reject(problems) : accept(personas.values);
}
