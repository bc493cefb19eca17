import { stringify } from 'yaml';
import { checkFactors } from '../../../../rules/answers/synthesis/factors';
import { checkJourney } from '../../../../rules/answers/synthesis/journey';
import type { ContextFactor } from '../../../../schemas/dataset/factor';
import type { JourneyStructure, PlannedSession } from '../../../../schemas/dataset/session';
import type { Quality } from '../../../../schemas/run/settings';
import { openSimulated, synthesizePersona } from '../../models/simulated/persona';
import { getReason, getValue } from '../examples';

let factors: ContextFactor[];
let structure: JourneyStructure;
let sessions: PlannedSession[];

beforeAll(async () => {
  const persona = await synthesizePersona(openSimulated(), 3);
  ({ factors, structure } = persona);
  ({ sessions } = persona.journey);
});

const readFactors = (entries: readonly unknown[], quality: Quality) =>
  checkFactors(stringify({ context_factors: entries }), { nFactors: 8, quality });
const readJourney = (entries: readonly unknown[], quality: Quality) =>
  checkJourney(stringify({ scenarios: entries }), { structure, factors, quality });

test('strictly, types are read whatever their case and usual spelling; by the reference only as they are listed', () => {
  const loose = factors.map((factor, index) =>
    index === 0
      ? {
          ...factor,
          factor_type: factor.factor_type.toUpperCase(),
          task_types: ['planning', 'Advice Seeking', 'writing and editing', 'Data analyzing'],
        }
      : factor,
  );
  expect(getValue(readFactors(loose, 'strict'))[0]).toEqual({
    ...factors[0],
    task_types: ['Planning', 'Advise seeking', 'Writing & editing', 'Data analysing'],
  });
  expect(getReason(readFactors(loose, 'reference'))).toMatch(/task_types, entry 1 "planning" is not one of/);
});

test('strictly, what structure and factor determine is filled in; by the reference it is compared', () => {
  const b = structure.indexOf('B');
  const free = structure.indexOf('free');
  const changed = structure.lastIndexOf("A'");
  const loose = sessions.map((session, index) => {
    if (index === b) return { ...session, preference: 'As before.' };
    if (index === free) return { ...session, preference: `${session.preference} Always.` };
    return index === changed ? { ...session, preference: 'Something new, once more.' } : session;
  });
  expect(getValue(readJourney(loose, 'strict')).sessions).toEqual(sessions);
  expect(getReason(readJourney(loose, 'reference'))).toMatch(/must be repeated word for word/);
});

test('strictly, a defect is a reason to ask again; by the reference it passes', () => {
  const similar = factors.map((factor, index) =>
    index === 2 ? { ...factor, preference: factors[0]?.preference ?? '' } : factor,
  );
  expect(getReason(readFactors(similar, 'strict'))).toMatch(
    /^factor 3: preference .* is nearly that of factor 1/,
  );
  expect(readFactors(similar, 'reference').ok).toBe(true);
  const silent = sessions.map((session, index) => (index === 4 ? { ...session, story: 'A week.' } : session));
  expect(getReason(readJourney(silent, 'strict'))).toMatch(/^session 5: story must mention/);
  expect(readJourney(silent, 'reference').ok).toBe(true);
});

test('strictly, a preference of words without content is compared with others word for word', () => {
  const words = 'Only that, and nothing more.';
  const one = factors.map((factor, index) => (index === 1 ? { ...factor, preference: words } : factor));
  expect(readFactors(one, 'strict').ok).toBe(true);
  const two = one.map((factor, index) => (index === 4 ? { ...factor, preference: words } : factor));
  expect(getReason(readFactors(two, 'strict'))).toMatch(
    /^factor 5: preference .* is nearly that of factor 2/,
  );
});

test('the answers of the simulated model are read alike either way', () => {
  expect(getValue(readFactors(factors, 'strict'))).toEqual(getValue(readFactors(factors, 'reference')));
  expect(getValue(readJourney(sessions, 'strict'))).toEqual(getValue(readJourney(sessions, 'reference')));
});

test('a part of a journey may not repeat a request of an earlier part, nor a factor before all were used', () => {
  const [{ context_factor: factorA } = { context_factor: '' }] = sessions.slice(-1);
  const part = { earlier: sessions.slice(0, 6), factorA };
  const readPart = (entries: readonly unknown[]) =>
    checkJourney(stringify({ scenarios: entries }), { structure, factors, quality: 'strict', part });
  const written = sessions.slice(6);
  expect(getValue(readPart(written)).sessions).toEqual(written);
  const free = structure.flatMap((role, at) => (role === 'free' ? [at] : []));
  const [first = 0, last = 0] = [free[0], free.at(-1)];
  const repeating = written.map((session) =>
    session.id === last + 1 ? { ...sessions[first], id: session.id } : session,
  );
  const reason = getReason(readPart(repeating));
  expect(reason).toContain(
    `session ${last + 1}: request_with_factor asks for nearly the same as session ${first + 1}`,
  );
  expect(reason).toMatch(/no session has ".*"; use each factor before one comes again/);
});
