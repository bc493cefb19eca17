import { personaDescriptionSchema, type PersonaDescription } from '../../../schemas/persona';
import { accepted, rejected, type Checked } from '../form/checks';
import { readJson } from '../form/fence';
import { countProblems, listUnder, shapeEach } from '../form/shape';

/** The descriptions of a batch of `count` templates, in the batch's order: `{"personas":[…]}`. */
export function checkDescriptions(text: string, count: number): Checked<PersonaDescription[]> {
  const read = readJson(text);
  if (!read.ok) return read;
  const list = listUnder(read.value, 'personas');
  if (!list.ok) return list;
  const personas = shapeEach(personaDescriptionSchema, list.value, 'persona');
  const problems = [...countProblems(list.value.length, count, 'personas'), ...personas.problems];
  return problems.length > 0 ? rejected(problems) : accepted(personas.values);
}
