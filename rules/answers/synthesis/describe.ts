import { personaDescriptionSchema, type PersonaDescription } from '../../../schemas/dataset/persona';
import { accept, reject, type CheckResult } from '../form/checks';
import { parseFencedJson } from '../form/fence';
import { validateCount, getList, parseEntries } from '../form/shape';

/** The descriptions of a batch of `count` templates, in the batch's order: `{"personas":[…]}`. */
export function checkDescriptions(text: string, count: number): CheckResult<PersonaDescription[]> {
  const read = parseFencedJson(text);
  if (!read.ok) return read;
  const list = getList(read.value, 'personas');
  if (!list.ok) return list;
  const personas = parseEntries(personaDescriptionSchema, list.value, 'persona');
  const problems = [...validateCount(list.value.length, count, 'personas'), ...personas.problems];
  return problems.length > 0 ? reject(problems) : accept(personas.values);
}
