import type { ContextFactor } from '../schemas/factor';
import type { Random } from '../rules/sampling/random';
import { AXES } from './vocabulary/axes';
import { NUMBER_WORDS, SUBJECTS } from './vocabulary/subjects';
import type { Axis, Pole } from './vocabulary/axis';
import { capitalised, enumerated } from './words';

/** One expectation of a preference. */
export interface Clause {
  readonly axis: Axis;
  readonly side: 0 | 1;
  /** The verb phrase as it stands in the preference. */
  readonly rule: string;
}

export interface Preference {
  readonly type: ContextFactor['preference_type'];
  readonly text: string;
  readonly clauses: readonly Clause[];
}

/** A preference of one to four expectations (2.9 in the mean, as in the published data), the first of them on the given axis. */
export function composePreference(random: Random, lead: Axis): Preference {
  const first = clauseOn(random, lead, random.integer(2) === 0 ? 0 : 1);
  return preferenceOf(random, [first, ...drawClauses(random, [lead], clauseCount(random) - 1)]);
}

/**
 * A preference that nothing can satisfy together with the given one: it takes the other side in at least one of the same
 * choices, in two where there are two, and is worded as a preference of its own (paper, B.3).
 */
export function contradictPreference(random: Random, preference: Preference): Preference {
  const turned = random
    .sample(preference.clauses, Math.min(2, preference.clauses.length))
    .map(({ axis, side }) => clauseOn(random, axis, side === 0 ? 1 : 0));
  const axes = preference.clauses.map(({ axis }) => axis);
  const further = Math.max(clauseCount(random) - turned.length, 0);
  return preferenceOf(random, [...turned, ...drawClauses(random, axes, further)]);
}

/** The expectations that a preference in these words has, in the order of its text; none when the words are not this model's. */
export function clausesIn(text: string): Clause[] {
  return clausePlacesIn(text).map(({ clause }) => clause);
}

/** The same, with where in the text each stands. */
export function clausePlacesIn(text: string): { clause: Clause; place: number; end: number }[] {
  const lower = text.toLowerCase();
  const found = CLAUSES_BY_LENGTH.flatMap(({ clause, spelled }) => {
    const place = lower.indexOf(spelled);
    return place < 0 ? [] : [{ clause, place, end: place + spelled.length }];
  });
  const kept: typeof found = [];
  for (const one of found) {
    if (kept.every((other) => one.end <= other.place || one.place >= other.end)) kept.push(one);
  }
  return kept.toSorted((one, other) => one.place - other.place);
}

export function poleOf({ axis, side }: Pick<Clause, 'axis' | 'side'>): Pole {
  return axis.poles[side];
}

/** An expectation of this end of a choice, in words drawn from those it has. */
export function clauseOn(random: Random, axis: Axis, side: 0 | 1): Clause {
  const rule = random.pick(axis.poles[side].rules).replaceAll('{n}', () => random.pick(NUMBER_WORDS));
  return { axis, side, rule };
}

/** Expectations drawn from all there are, none of them on a choice that goes badly with the taken ones. */
export function drawClauses(random: Random, taken: readonly Axis[], count: number): Clause[] {
  const groups = new Set(taken.map(({ group }) => group));
  const clauses: Clause[] = [];
  while (clauses.length < count) {
    const axis = random.pick(AXES);
    if (groups.has(axis.group)) continue;
    groups.add(axis.group);
    clauses.push(clauseOn(random, axis, random.integer(2) === 0 ? 0 : 1));
  }
  return clauses;
}

/** A preference as one sentence. */
export function stated(random: Random, rules: readonly string[]): string {
  return capitalised(
    `${random.pick(SUBJECTS)} ${random.pick(['must', 'must', 'should'])} ${joined(random, rules)}.`,
  );
}

function clauseCount(random: Random): number {
  const draw = random.integer(100);
  if (draw < 4) return 1;
  if (draw < 24) return 2;
  return draw < 84 ? 3 : 4;
}

function preferenceOf(random: Random, clauses: readonly Clause[]): Preference {
  const text = stated(
    random,
    clauses.map(({ rule }) => rule),
  );
  const [first] = clauses;
  return { type: first?.axis.type ?? 'Relevance', text, clauses };
}

function joined(random: Random, rules: readonly string[]): string {
  const [one, other] = rules;
  if (rules.length !== 2 || one === undefined || other === undefined) return enumerated(rules);
  return random.pick([
    `${one} and ${other}`,
    `not only ${one} but also ${other}`,
    `${one} and at the same time ${other}`,
  ]);
}

/** Every clause there can be, longest first, so that one that holds another is found before it. */
const CLAUSES_BY_LENGTH = AXES.flatMap((axis) =>
  ([0, 1] as const).flatMap((side) =>
    axis.poles[side].rules.flatMap((rule) =>
      (rule.includes('{n}') ? NUMBER_WORDS : ['']).map((number) => {
        const clause: Clause = { axis, side, rule: rule.replaceAll('{n}', () => number) };
        return { clause, spelled: clause.rule.toLowerCase() };
      }),
    ),
  ),
).toSorted((one, other) => other.spelled.length - one.spelled.length);
