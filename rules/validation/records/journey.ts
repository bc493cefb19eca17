import { counted, number, pluralize } from '../../../schemas/count-text';
import type { RecordForm } from '../../../schemas/record';
import { taskProblems } from '../../answers/synthesis/journey';
import { quoted, sameWords, saysNothing, spelling } from '../../answers/form/checks';
import { grouped } from '../../group-by';
import type { Lapse } from '../finding';
import { CHANGED_SESSIONS, ORIGINAL_SESSIONS, PARTNER_SESSIONS } from '../journey-counts';
import { mostCommon } from '../most-common';

type Factor = RecordForm['context_factors'][number];
type Session = RecordForm['sessions'][number];

/**
 * Where the sessions are not a journey (paper, B.3): numbered in order, with factors and preferences as the factor list spells them, and
 * with the current factor, its change and its contrastive partner as often and in the order that they must have. Which sessions play
 * which part is told by what most of them have, so that one wrong session is one lapse.
 */
export function journeyLapses(record: RecordForm): Lapse[] {
  const cast = castOf(record);
  const carried = [...factorLapses(record, cast), ...preferenceLapses(record, cast)];
  const told = new Set(carried.map(({ field }) => field.replace(/\.\w+$/, '')));
  return [
    ...idLapses(record),
    ...carried,
    ...taskLapses(record).filter(({ field }) => !told.has(field.replace(/\.\w+$/, ''))),
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

function castOf({ context_factors: factors, sessions }: RecordForm): Cast {
  const related = factors.filter(({ related_factor: name }) => !saysNothing(name));
  const pair = related.length === 2 ? related : factors.slice(-2);
  const counts = pair.map((factor) => sessionsWith(sessions, factor).length);
  if (counts.includes(0)) return { a: undefined, b: undefined, changed: undefined };
  const last = sessions.at(-1);
  const most = pair.filter((_, place) => counts[place] === Math.max(...counts));
  const a = most.find((factor) => last !== undefined && isOf(last, factor)) ?? most[0];
  const changed =
    a &&
    mostCommon(
      sessionsWith(sessions, a)
        .map(({ preference }) => preference)
        .filter((preference) => !sameWords(preference, a.preference)),
    );
  return { a, b: pair.find((factor) => factor !== a), changed };
}

function sessionsWith(sessions: readonly Session[], factor: Factor): Session[] {
  return sessions.filter((session) => isOf(session, factor));
}

function isOf(session: Session, { factor }: Factor): boolean {
  return spelling(session.context_factor) === spelling(factor);
}

function idLapses({ sessions }: RecordForm): Lapse[] {
  const wrong = sessions.findIndex(({ id }, index) => id !== index + 1);
  const session = sessions[wrong];
  if (session === undefined) return [];
  return [
    {
      rule: 'journey-structure',
      field: `sessions[${wrong}].id`,
      message: `expected ${wrong + 1}, as sessions are numbered from 1 in order, found ${session.id}.`,
    },
  ];
}

function factorLapses(record: RecordForm, { a }: Cast): Lapse[] {
  const { sessions } = record;
  const last = sessions.at(-1);
  if (a === undefined || last === undefined || isOf(last, a)) return spellingLapses(record, sessions);
  const field = `sessions[${sessions.length - 1}].context_factor`;
  const message = `expected ${quoted(a.factor)}, as most sessions of the contrastive pair have it, found ${quoted(last.context_factor)}.`;
  return [{ rule: 'journey-structure', field, message }, ...spellingLapses(record, sessions.slice(0, -1))];
}

/** Each name of a factor that is not one of the list, once. */
function spellingLapses(
  { context_factors: factors, sessions: all }: RecordForm,
  sessions: readonly Session[],
): Lapse[] {
  const names = new Set(factors.map(({ factor }) => factor));
  const unlisted = grouped(
    sessions.filter(({ context_factor: name }) => !names.has(name)),
    ({ context_factor: name }) => name,
  );
  return [...unlisted].flatMap(([name, [first, ...more]]): Lapse[] => {
    if (first === undefined) return [];
    const listed = factors.find((factor) => isOf(first, factor));
    const expected =
      listed === undefined
        ? `one of ${factors.map(({ factor }) => quoted(factor)).join(', ')}`
        : `${quoted(listed.factor)}, as context_factors spells it`;
    const again = more.length === 0 ? '' : `, and in ${number(more.length)} more`;
    return [
      {
        rule: 'session-factor',
        field: `sessions[${all.indexOf(first)}].context_factor`,
        message: `expected ${expected}, found ${quoted(name)}${again}.`,
      },
    ];
  });
}

function taskLapses({ sessions, context_factors: factors }: RecordForm): Lapse[] {
  return sessions.flatMap((session, index) =>
    taskProblems(session, factors).map((problem) => ({
      rule: 'session-factor',
      field: `sessions[${index}].task_type`,
      message: `${problem}.`,
    })),
  );
}

/** Factor A has its own preference first and the changed one afterwards, every other factor its own. */
function preferenceLapses(record: RecordForm, cast: Cast): Lapse[] {
  const { sessions, context_factors: factors } = record;
  const { a, changed } = cast;
  const later = laterSessions(record, cast);
  if (a !== undefined && changed === undefined && later.length > 1) {
    return [
      {
        rule: 'journey-structure',
        field: `sessions[${sessions.length - 1}].preference`,
        message: `expected a changed preference in the later sessions of ${quoted(a.factor)}, found the original one in all.`,
      },
    ];
  }
  const own = new Map(
    factors.map((factor) => [
      factor,
      ownPreference(
        factor,
        sessionsWith(sessions, factor).filter(
          (session) => !later.includes(session) && session.preference !== changed,
        ),
      ),
    ]),
  );
  const listed = factors.flatMap((factor, index): Lapse[] => {
    const carried = own.get(factor) ?? factor.preference;
    if (carried === factor.preference) return [];
    const message = `expected the preference of its sessions: ${quoted(carried)}, found ${quoted(factor.preference)}.`;
    return [{ rule: 'session-factor', field: `context_factors[${index}].preference`, message }];
  });
  const carried = sessions.flatMap((session, index): Lapse[] => {
    const factor = factors.find((one) => isOf(session, one));
    const isLater = later.includes(session);
    const expected = isLater ? changed : factor && own.get(factor);
    if (expected === undefined || expected === session.preference) return [];
    const part = isLater ? 'the changed preference' : 'the preference';
    const misspelled = spelling(expected) === spelling(session.preference);
    return [
      {
        rule: factor === a && !misspelled ? 'journey-structure' : 'session-factor',
        field: `sessions[${index}].preference`,
        message: `expected ${part} of ${quoted(session.context_factor)}, word for word: ${quoted(expected)}, found ${quoted(session.preference)}.`,
      },
    ];
  });
  const [first, ...more] = carried.filter(({ rule }) => rule === 'journey-structure');
  const again =
    more.length === 0
      ? ''
      : ` ${counted(more.length, 'more session')} of it ${pluralize(more.length, 'is', 'are')} wrong as well.`;
  return [
    ...listed,
    ...(first === undefined ? [] : [{ ...first, message: `${first.message}${again}` }]),
    ...carried.filter(({ rule }) => rule !== 'journey-structure'),
  ];
}

/** The last session, and those of A's after the first two; where A has too few or too many, those from the first changed one on. */
function laterSessions({ sessions }: RecordForm, { a, changed }: Cast): Session[] {
  if (a === undefined) return [];
  const prior = sessionsWith(sessions.slice(0, -1), a);
  const first = prior.findIndex(({ preference }) => preference === changed);
  const change =
    prior.length === ORIGINAL_SESSIONS + CHANGED_SESSIONS || first < 0 ? ORIGINAL_SESSIONS : first;
  return [...prior.slice(change), ...sessions.slice(-1)];
}

/** A factor's preference; where several sessions agree on another one, it is the list that is wrong. */
function ownPreference({ preference }: Factor, sessions: readonly Session[]): string {
  const [first, ...others] = sessions;
  const agreed = others.length > 0 && others.every((other) => other.preference === first?.preference);
  return agreed && first !== undefined ? first.preference : preference;
}

function countLapses({ sessions }: RecordForm, { a, b }: Cast): Lapse[] {
  const prior = sessions.slice(0, -1);
  const beforeLast = prior.at(-1);
  const wanted = ORIGINAL_SESSIONS + CHANGED_SESSIONS;
  if (a === undefined || b === undefined || beforeLast === undefined) {
    const message = `expected sessions of both factors of the contrastive pair, found none of one of them.`;
    return [{ rule: 'journey-structure', field: 'sessions', message }];
  }
  const ofA = sessionsWith(prior, a).length;
  const ofB = sessionsWith(prior, b).length;
  if (ofA !== wanted || ofB !== PARTNER_SESSIONS) {
    const message = `expected ${wanted} sessions of ${quoted(a.factor)} before the last and ${PARTNER_SESSIONS} of its contrastive partner ${quoted(b.factor)}, found ${ofA} and ${ofB}.`;
    return [{ rule: 'journey-structure', field: 'sessions', message }];
  }
  if (!isOf(beforeLast, a)) return [];
  const message = `expected a factor other than ${quoted(a.factor)}, because the last session must not continue the one before it.`;
  return [{ rule: 'journey-structure', field: `sessions[${prior.length - 1}].context_factor`, message }];
}
