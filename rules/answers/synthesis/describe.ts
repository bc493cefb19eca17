import { personaDescriptionSchema, type PersonaDescription } from '../../../schemas/dataset/persona';
import type { Quality } from '../../../schemas/run/settings';
import { listDescriptionProblems } from '../../quality/descriptions';
import { reject, type CheckResult } from '../form/checks';
import { parseFencedJson } from '../form/fence';
import { checkEntries, getList } from '../form/shape';

/**
 * Returns the descriptions of a batch of `count` templates, in the batch's order: `{"personas":[…]}`. Under strict rules,
 * `listDescriptionProblems` must find nothing.
 */
export function checkDescriptions(
  text: string,
  { count, quality }: { readonly count: number; readonly quality: Quality },
): CheckResult<PersonaDescription[]> {
  const list = getList(parseFencedJson(text), 'personas');
  if (!list.ok) return list;
  const personas = checkEntries(personaDescriptionSchema, list.value, count, 'personas', 'persona');
  const problems = personas.ok && quality === 'strict' ? listDescriptionProblems(personas.value) : [];
  return problems.length > 0 ? reject(problems) : personas;
}
