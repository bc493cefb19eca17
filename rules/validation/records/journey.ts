import { formatCount, formatNumber, pluralize } from '../../../schemas/text/count-text';
import type { RecordForm } from '../../../schemas/dataset/record';
import { findTaskProblem } from '../../answers/synthesis/journey';
import { quoteAnswer, isSameText, isOmitted, normalizeSpelling } from '../../answers/form/checks';
import { groupBy } from '../../group-by';
import type { RowFinding } from '../finding';
import { CHANGED_SESSIONS, ORIGINAL_SESSIONS, PARTNER_SESSIONS } from '../journey-counts';
import { findMostCommon } from '../most-common';

type Factor = RecordForm['context_factors'][number];
type Session = RecordForm['sessions'][number];

/**
 * Where the sessions are not a journey (paper, B.3): numbered in order, with factors and preferences as the factor list spells them, and
 * with the current factor, its change and its contrastive partner as often and in the order that they must have. Which sessions play
 * which part is determined by what most of them have, so that one wrong session is one finding.
 */
export function validateJourney(record: RecordForm): RowFinding[] {
  const cast = buildCast(record);
  const carried = [...validateSessionFactors(record, cast), ...validatePreferences(record, cast)];
  const reported = new Set(carried.map(({ field }) => field.replace(/\.\w+$/, '')));
  return [
    ...validateIds(record),
    ...carried,
    ...validateTasks(record).filter(({ field }) => !reported.has(field.replace(/\.\w+$/, ''))),
    // A session of a wrong factor is lacking elsewhere.
    ...(carried.length > 0 ? [] : countLapses(record, cast)),
  ];
}

/** The contrastive pair, by the part that each of the two plays; undefined where no sessions play it. */
interface Cast {
  readonly a: Factor | undefined;
  readonly b: Factor | undefined;
  /** What the preference of A changes to; undefined when it does not. */
  readonly changed: string | undefined;
}

function buildCast({ context_factors: factors, sessions }: RecordForm): Cast {
  const related = factors.filter(({ related_factor: name }) => !isOmitted(name));
  const pair = related.length === 2 ? related : factors.slice(-2);
  const counts = pair.map((factor) => listSessionsWith(sessions, factor).length);
  if (counts.includes(0)) return { a: undefined, b: undefined, changed: undefined };
  const last = sessions.at(-1);
  const most = pair.filter((_, place) => counts[place] === Math.max(...counts));
  const a = most.find((factor) => last !== undefined && isOf(last, factor)) ?? most[0];
  const changed =
    a &&
    findMostCommon(
      listSessionsWith(sessions, a)
        .map(({ preference }) => preference)
        .filter((preference) => !isSameText(preference, a.preference)),
    );
  return { a, b: pair.find((factor) => factor !== a), changed };
}

function listSessionsWith(sessions: readonly Session[], factor: Factor): Session[] {
  return sessions.filter((session) => isOf(session, factor));
}

function isOf(session: Session, { factor }: Factor): boolean {
  return normalizeSpelling(session.context_factor) === normalizeSpelling(factor);
}

function validateIds({ sessions }: RecordForm): RowFinding[] {
  const wrong = sessions.findIndex(({ id }, index) => id !== index + 1);
  const session = sessions[wrong];
  if (session === undefined) return [];
  const field = `sessions[${wrong}].id`;
  const message = `expected ${wrong + 1}, as sessions are numbered from 1 in order, found ${session.id}.`;
  return [{ rule: 'journey-structure', field, message }];
}

function validateSessionFactors(record: RecordForm, { a }: Cast): RowFinding[] {
  const { sessions } = record;
  const last = sessions.at(-1);
  if (a === undefined || last === undefined || isOf(last, a)) return validateSpelling(record, sessions);
  const field = `sessions[${sessions.length - 1}].context_factor`;
  const message = `expected ${quoteAnswer(a.factor)}, as most sessions of the contrastive pair have it, found ${quoteAnswer(last.context_factor)}.`;
  return [{ rule: 'journey-structure', field, message }, ...validateSpelling(record, sessions.slice(0, -1))];
}

/** Each name of a factor that is not one of the list, once. */
function validateSpelling(
  { context_factors: factors, sessions: all }: RecordForm,
  sessions: readonly Session[],
): RowFinding[] {
  const names = new Set(factors.map(({ factor }) => factor));
  const unlisted = groupBy(
    sessions.filter(({ context_factor: name }) => !names.has(name)),
    ({ context_factor: name }) => name,
  );
  return [...unlisted].flatMap(([name, [first, ...more]]): RowFinding[] => {
    if (first === undefined) return [];
    const listed = factors.find((factor) => isOf(first, factor));
    const expected =
      listed === undefined
        ? `one of ${factors.map(({ factor }) => quoteAnswer(factor)).join(', ')}`
        : `${quoteAnswer(listed.factor)}, as context_factors spells it`;
    const again = more.length === 0 ? '' : `, and in ${formatNumber(more.length)} more`;
    const field = `sessions[${all.indexOf(first)}].context_factor`;
    const message = `expected ${expected}, found ${quoteAnswer(name)}${again}.`;
    return [{ rule: 'session-factor', field, message }];
  });
}

function validateTasks({ sessions, context_factors: factors }: RecordForm): RowFinding[] {
  return sessions.flatMap((session, index): RowFinding[] => {
    const problem = findTaskProblem(session, factors);
    const field = `sessions[${index}].task_type`;
    return problem === undefined ? [] : [{ rule: 'session-factor', field, message: `${problem}.` }];
  });
}

/** Factor A has its own preference first and the changed one afterwards, every other factor its own. */
function validatePreferences(record: RecordForm, cast: Cast): RowFinding[] {
  const { sessions, context_factors: factors } = record;
  const { a, changed } = cast;
  const later = listLaterSessions(record, cast);
  if (a !== undefined && changed === undefined && later.length > 1) {
    const field = `sessions[${sessions.length - 1}].preference`;
    const message = `expected a changed preference in the later sessions of ${quoteAnswer(a.factor)}, found the original one in all.`;
    return [{ rule: 'journey-structure', field, message }];
  }
  const own = new Map(
    factors.map((factor) => [
      factor,
      getOwnPreference(
        factor,
        listSessionsWith(sessions, factor).filter(
          (session) => !later.includes(session) && session.preference !== changed,
        ),
      ),
    ]),
  );
  const listed = factors.flatMap((factor, index): RowFinding[] => {
    const carried = own.get(factor) ?? factor.preference;
    if (carried === factor.preference) return [];
    const message = `expected the preference of its sessions: ${quoteAnswer(carried)}, found ${quoteAnswer(factor.preference)}.`;
    return [{ rule: 'session-factor', field: `context_factors[${index}].preference`, message }];
  });
  const carried = sessions.flatMap((session, index): RowFinding[] => {
    const factor = factors.find((one) => isOf(session, one));
    const isLater = later.includes(session);
    const expected = isLater ? changed : factor && own.get(factor);
    if (expected === undefined || expected === session.preference) return [];
    const part = isLater ? 'the changed preference' : 'the preference';
    const misspelled = normalizeSpelling(expected) === normalizeSpelling(session.preference);
    return [
      {
        rule: factor === a && !misspelled ? 'journey-structure' : 'session-factor',
        field: `sessions[${index}].preference`,
        message: `expected ${part} of ${quoteAnswer(session.context_factor)}, word for word: ${quoteAnswer(expected)}, found ${quoteAnswer(session.preference)}.`,
      },
    ];
  });
  const [first, ...more] = carried.filter(({ rule }) => rule === 'journey-structure');
  const again =
    more.length === 0
      ? ''
      : ` ${formatCount(more.length, 'more session')} of it ${pluralize(more.length, 'is', 'are')} wrong as well.`;
  return [
    ...listed,
    ...(first === undefined ? [] : [{ ...first, message: `${first.message}${again}` }]),
    ...carried.filter(({ rule }) => rule !== 'journey-structure'),
  ];
}

/** The last session, and those of A's after the first two; where A has too few or too many, those from the first changed one on. */
function listLaterSessions({ sessions }: RecordForm, { a, changed }: Cast): Session[] {
  if (a === undefined) return [];
  const prior = listSessionsWith(sessions.slice(0, -1), a);
  const first = prior.findIndex(({ preference }) => preference === changed);
  const change =
    prior.length === ORIGINAL_SESSIONS + CHANGED_SESSIONS || first < 0 ? ORIGINAL_SESSIONS : first;
  return [...prior.slice(change), ...sessions.slice(-1)];
}

/** A factor's preference; where several sessions agree on another one, it is the list that is wrong. */
function getOwnPreference({ preference }: Factor, sessions: readonly Session[]): string {
  const [first, ...others] = sessions;
  const agreed = others.length > 0 && others.every((other) => other.preference === first?.preference);
  return agreed && first !== undefined ? first.preference : preference;
}

function countLapses({ sessions }: RecordForm, { a, b }: Cast): RowFinding[] {
  const prior = sessions.slice(0, -1);
  const beforeLast = prior.at(-1);
  const wanted = ORIGINAL_SESSIONS + CHANGED_SESSIONS;
  if (a === undefined || b === undefined || beforeLast === undefined) {
    const message = `expected sessions of both factors of the contrastive pair, found none of one of them.`;
    return [{ rule: 'journey-structure', field: 'sessions', message }];
  }
  const ofA = listSessionsWith(prior, a).length;
  const ofB = listSessionsWith(prior, b).length;
  if (ofA !== wanted || ofB !== PARTNER_SESSIONS) {
    const message = `expected ${wanted} sessions of ${quoteAnswer(a.factor)} before the last and ${PARTNER_SESSIONS} of its contrastive partner ${quoteAnswer(b.factor)}, found ${ofA} and ${ofB}.`;
    return [{ rule: 'journey-structure', field: 'sessions', message }];
  }
  if (!isOf(beforeLast, a)) return [];
  const message = `expected a factor other than ${quoteAnswer(a.factor)}, because the last session must not continue the one before it.`;
  return [{ rule: 'journey-structure', field: `sessions[${prior.length - 1}].context_factor`, message }];
}
