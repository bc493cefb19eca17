import type { ContextFactor } from '../../../schemas/dataset/factor';
import type { JourneyStructure, PlannedSession, SessionRole } from '../../../schemas/dataset/session';
import { PAPER_TAXONOMY, type Taxonomy } from '../../../schemas/dataset/taxonomy';
import { accept, reject, type CheckResult, isOmitted } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { isSameSpelling, isSameText } from '../../texts/spelling';
import type { Quality } from '../../../schemas/run/settings';
import { listJourneyProblems } from '../../quality/journey';
import { getTypedSchemas, withListedTypes } from '../form/listed-types';
import type { SessionRequest } from '../../dialogue/messages';
import { parseFencedYaml } from '../form/fence';
import { checkEntries, getFields, getList } from '../form/shape';

export interface Journey {
  sessions: PlannedSession[];
}

interface JourneyPlan {
  /** Roles of the sessions, up to the last one that the answer plans. */
  readonly structure: JourneyStructure;
  readonly factors: readonly ContextFactor[];
  readonly quality: Quality;
  /** Absent for the paper's. */
  readonly taxonomy?: Taxonomy | undefined;
  /** Present for a journey that is planned in parts. */
  readonly part?: { readonly earlier: readonly PlannedSession[]; readonly factorA: string } | undefined;
}

/**
 * Returns the journey of a persona (paper, B.3): every session in its drawn place, with factor, preference and task type from the factor list.
 * Texts that differ from the list only in their spelling are returned as in the list. Under strict rules, fields that
 * structure and factor determine are filled in instead of compared, and `listJourneyProblems` must find nothing. A part of a journey is judged
 * together with the sessions before it, and only its own sessions are returned.
 */
export function checkJourney(text: string, plan: JourneyPlan): CheckResult<Journey> {
  const { structure, quality, taxonomy = PAPER_TAXONOMY, part } = plan;
  const earlier = part?.earlier ?? [];
  const list = getList(parseFencedYaml(text), 'scenarios');
  if (!list.ok) return list;
  const entries = list.value.map(convertToSession).map((entry) => withListedTypes(entry, quality, taxonomy));
  const { session: form } = getTypedSchemas(taxonomy);
  const count = structure.length - earlier.length;
  const shaped = checkEntries(form, entries, count, 'sessions', 'session', earlier.length + 1);
  if (!shaped.ok) return shaped;
  const { sessions, problems } = readSessions([...earlier, ...shaped.value], { ...plan, ...part });
  const reasons = problems.map(({ session, problem }) => `session ${session + 1}: ${problem}`);
  if (sessions !== undefined && quality === 'strict') reasons.push(...listStrictProblems(sessions, plan));
  return sessions === undefined || reasons.length > 0
    ? reject(reasons)
    : accept({ sessions: sessions.slice(earlier.length) });
}

/** Fields of a session that its place and its factor determine. */
type WrittenSession = SessionRequest &
  Readonly<Record<'context_factor' | 'preference' | 'task_type', string>> & { readonly id: number };
type ListedFactor = Pick<ContextFactor, 'factor' | 'preference' | 'task_types'>;

/** A rule that a session breaks; session 1 has index 0. */
interface SessionProblem {
  readonly session: number;
  readonly field: Exclude<keyof WrittenSession, 'resource'>;
  readonly problem: string;
}

/**
 * Reads sessions as the factor list spells them, and lists what keeps them from their places in the journey. Returns no sessions if the last
 * one does not name factor A.
 * @param plan.factorA for a journey that is planned in parts; otherwise the last session shows it
 */
export function readSessions<Written extends WrittenSession>(
  rawSessions: readonly Written[],
  {
    structure,
    factors,
    quality,
    factorA,
  }: {
    readonly structure: JourneyStructure;
    readonly factors: readonly ListedFactor[];
    readonly quality: Quality;
    readonly factorA?: string;
  },
): { readonly sessions?: Written[]; readonly problems: SessionProblem[] } {
  const spelledSessions = rawSessions.map((session) => withListedSpelling(session, factors));
  const cast = findCast(spelledSessions, structure, factors, factorA);
  if (cast === undefined) {
    const name = quoteAnswer(spelledSessions[structure.length - 1]?.context_factor ?? '');
    const problem = `context_factor ${name} is not factor A, which must be one of ${formatNames(factors.slice(-2))}, spelled exactly so`;
    return { problems: [{ session: structure.length - 1, field: 'context_factor', problem }] };
  }
  const sessions =
    quality === 'strict'
      ? spelledSessions.map((session, index) => withDetermined(session, structure[index], cast))
      : spelledSessions;
  const problems = sessions.flatMap((session, index) => {
    const fieldProblems = [
      ['id', findIdProblem(session, index + 1)],
      ['context_factor', findPlaceProblem(session, structure[index], cast)],
      ['preference', findPreferenceProblem(session, structure[index], cast)],
      ['task_type', findTaskProblem(session, factors)],
      ['request_with_factor', findResourceProblem(session)],
    ] as const;
    return fieldProblems.flatMap(([field, problem]): SessionProblem[] =>
      problem === undefined ? [] : [{ session: index, field, problem }],
    );
  });
  const { changed } = cast;
  return {
    sessions: sessions.map((session, index) =>
      structure[index] === "A'" && changed !== undefined
        ? { ...session, preference: changed.preference }
        : session,
    ),
    problems,
  };
}

function listStrictProblems(
  sessions: readonly PlannedSession[],
  { factors, structure, part }: JourneyPlan,
): string[] {
  const partial = part === undefined ? undefined : structure;
  return listJourneyProblems(sessions, factors, partial).map(({ session, field, problem }) =>
    session === undefined ? problem : `session ${session + 1}: ${field} ${problem}`,
  );
}

/** Converts an id from YAML, where all scalars are strings, and drops a resource that is absent in any of the ways models write that. */
function convertToSession(entry: unknown): unknown {
  const fields = getFields(entry);
  if (fields === undefined) return entry;
  const { id, resource, ...otherFields } = fields;
  const number = typeof id === 'string' && /^\s*\d+\s*$/.test(id) ? Number(id) : id;
  const absent =
    resource === undefined || resource === null || (typeof resource === 'string' && isOmitted(resource));
  return absent ? { id: number, ...otherFields } : { id: number, ...otherFields, resource };
}

function withListedSpelling<Written extends WrittenSession>(
  session: Written,
  factors: readonly ListedFactor[],
): Written {
  const listed = factors.find(({ factor }) => isSameSpelling(factor, session.context_factor));
  if (listed === undefined) return session;
  const hasListedPreference = isSameSpelling(listed.preference, session.preference);
  return {
    ...session,
    context_factor: listed.factor,
    preference: hasListedPreference ? listed.preference : session.preference,
  };
}

/** The factors in their roles. */
interface Cast {
  a: ListedFactor;
  b: ListedFactor;
  /** Shows which factor is A. */
  reason: string;
  /** Factors for the sessions that the structure leaves free. */
  free: readonly ListedFactor[];
  /** The changed preference and the session where it first occurs, which later ones must repeat; undefined before it. */
  changed: { preference: string; session: number } | undefined;
}

/** Finds the cast. Unless factor A is known, the last session shows which of the pair it is; undefined if that has another factor. */
function findCast(
  sessions: readonly WrittenSession[],
  structure: JourneyStructure,
  factors: readonly ListedFactor[],
  factorA: string | undefined,
): Cast | undefined {
  const pair = factors.slice(-2);
  const nameA = factorA ?? sessions[structure.length - 1]?.context_factor;
  const a = pair.find(({ factor }) => factor === nameA);
  const b = pair.find((factor) => factor !== a);
  const first = sessions[structure.indexOf("A'")];
  if (a === undefined || b === undefined) return undefined;
  return {
    a,
    b,
    reason:
      factorA === undefined
        ? `as the last session has ${quoteAnswer(a.factor)} as factor A`
        : `as factor A is ${quoteAnswer(a.factor)}`,
    free: factors.filter((factor) => factor !== a && factor !== b),
    changed: first && { preference: first.preference, session: first.id },
  };
}

/** Returns the session with the factor and the preference of its place. A free session keeps its factor and gets the preference of that. */
function withDetermined<Written extends WrittenSession>(
  session: Written,
  role: SessionRole | undefined,
  { a, b, free, changed }: Cast,
): Written {
  const factor =
    role === 'free' ? free.find(({ factor: name }) => name === session.context_factor) : role === 'B' ? b : a;
  if (factor === undefined) return session;
  const preference = role === "A'" && changed !== undefined ? changed.preference : factor.preference;
  return { ...session, context_factor: factor.factor, preference };
}

function findIdProblem({ id }: WrittenSession, expected: number): string | undefined {
  if (id === expected) return undefined;
  return `id must be ${expected}, as the sessions are numbered from 1 in order, not ${id}`;
}

function findPlaceProblem(
  { context_factor: name }: WrittenSession,
  role: SessionRole | undefined,
  { a, b, reason: castReason, free }: Cast,
): string | undefined {
  if (role === 'free') {
    if (free.some(({ factor }) => factor === name)) return undefined;
    const reason =
      name === a.factor || name === b.factor
        ? `belongs to the contrastive pair, which this session may not use; it must be one of ${formatNames(free)}`
        : `is not one of ${formatNames(free)}, spelled exactly so`;
    return `context_factor ${quoteAnswer(name)} ${reason}`;
  }
  const { factor } = role === 'B' ? b : a;
  if (name === factor) return undefined;
  return `context_factor must be ${quoteAnswer(factor)} here (factor ${role === 'B' ? 'B' : 'A'}, ${castReason}), not ${quoteAnswer(name)}`;
}

function findPreferenceProblem(
  { context_factor: name, preference, id }: WrittenSession,
  role: SessionRole | undefined,
  { a, b, free, changed }: Cast,
): string | undefined {
  const factor = [a, b, ...free].find((listed) => listed.factor === name);
  if (factor === undefined) return undefined;
  if (role !== "A'" || changed === undefined) {
    if (preference === factor.preference) return undefined;
    return `preference ${quoteAnswer(preference)} is not the preference of ${quoteAnswer(name)}, which must be repeated word for word: ${quoteAnswer(factor.preference)}`;
  }
  if (isSameText(preference, a.preference))
    return `preference must be the changed preference A', different from the original preference ${quoteAnswer(a.preference)}`;
  if (isSameSpelling(preference, changed.preference) || id === changed.session) return undefined;
  return `preference ${quoteAnswer(preference)} must repeat the changed preference A' of session ${changed.session} word for word: ${quoteAnswer(changed.preference)}`;
}

function findTaskProblem(
  { context_factor: name, task_type: task }: WrittenSession,
  factors: readonly ListedFactor[],
): string | undefined {
  const listed = factors.find(({ factor }) => factor === name)?.task_types;
  if (listed === undefined || listed.includes(task)) return undefined;
  return `task_type ${quoteAnswer(task)} is not one of those of ${quoteAnswer(name)}: ${listed.join(', ')}`;
}

/** Reports a resource without a place in its request, or a place without a resource. */
function findResourceProblem({ request_with_factor: request, resource }: SessionRequest): string | undefined {
  const isPlaced = request.includes('[resource]');
  if (isPlaced === (typeof resource === 'string')) return undefined;
  return isPlaced
    ? 'request_with_factor holds [resource], but the session has no resource to put there'
    : 'the session has a resource, but request_with_factor does not hold [resource] where it belongs';
}

function formatNames(factors: readonly ListedFactor[]): string {
  return factors.map(({ factor }) => quoteAnswer(factor)).join(', ');
}
