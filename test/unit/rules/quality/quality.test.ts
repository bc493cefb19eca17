import { listQuotingMessages } from '../../../../rules/quality/dialogue';
import { listFactorProblems } from '../../../../rules/quality/factors';
import { listJourneyProblems } from '../../../../rules/quality/journey';
import { type ContextFactor, TASK_TYPES } from '../../../../schemas/dataset/factor';
import type { PlannedSession } from '../../../../schemas/dataset/session';
import { openSimulated, synthesizePersona } from '../../models/simulated/persona';

const PERSONAS = 200;

interface Plan {
  readonly factors: ContextFactor[];
  readonly sessions: PlannedSession[];
}

let plans: Plan[];

beforeAll(async () => {
  const one = openSimulated();
  plans = await Promise.all(
    Array.from({ length: PERSONAS }, async (_, id) => {
      const { factors, journey } = await synthesizePersona(one, id + 1);
      return { factors, sessions: journey.sessions };
    }),
  );
}, 60_000);

test('of 200 personas without a defect, at most one in a hundred has a problem', () => {
  const bad = plans.filter((plan) => problemsOf(plan).length > 0);
  expect(bad.length).toBeLessThanOrEqual(PERSONAS / 100);
});

test.each<[defect: string, inject: (plan: Plan) => Plan, problem: RegExp]>([
  [
    'a contrastive pair of two factor types',
    (plan) =>
      withFactor(plan, 7, ({ factor_type: type }) => ({
        factor_type: type === 'Event/Time' ? 'Content/Media' : 'Event/Time',
      })),
    /must have one factor_type/,
  ],
  [
    'a contrastive pair without a common task type',
    (plan) =>
      withFactor(plan, 7, () => ({
        task_types: TASK_TYPES.filter((task) => plan.factors[6]?.task_types.includes(task) === false),
      })),
    /at least one task type in common/,
  ],
  [
    'a preference that negates another one',
    (plan) => withFactor(plan, 2, () => ({ preference: negate(plan.factors[0]?.preference ?? '') })),
    /factor 3: preference .* is nearly that of factor 1, or its negation/,
  ],
  [
    'a preference that mentions its factor',
    (plan) =>
      withFactor(plan, 1, ({ factor, preference }) => ({ preference: `For ${factor}: ${preference}` })),
    /factor 2: the preference must not mention its own factor/,
  ],
  [
    'a changed preference that is the one of the contrastive factor',
    (plan) => withSession(plan, 12, () => ({ preference: partnerOf(plan)?.preference ?? '' })),
    /the changed preference .* is nearly the preference of/,
  ],
  [
    'a changed preference that negates the original one',
    (plan) => withSession(plan, 12, () => ({ preference: negate(originalOf(plan)?.preference ?? '') })),
    /the changed preference .* is nearly the preference of/,
  ],
  [
    'a request without its factor',
    (plan) =>
      withSession(plan, 4, ({ context_factor: factor, request_with_factor: request }) => ({
        request_with_factor: request.replaceAll(factor, 'it'),
      })),
    /5 request_with_factor must mention/,
  ],
  [
    'a story without its factor',
    (plan) => withSession(plan, 4, () => ({ story: 'A quiet week came to an end.' })),
    /5 story must mention/,
  ],
  [
    'a request that states its preference',
    (plan) =>
      withSession(plan, 4, (session) => ({
        request_with_factor: `${session.request_with_factor} ${session.preference}`,
      })),
    /5 request_with_factor reveals the preference/,
  ],
  [
    'one text for both requests',
    (plan) =>
      withSession(plan, 4, (session) => ({
        request_with_factor_and_preference: session.request_with_factor,
      })),
    /5 request_with_factor reveals the preference/,
  ],
  [
    'a request that comes again',
    (plan) =>
      withSession(plan, 9, () => ({
        request_with_factor: `${plan.sessions[3]?.request_with_factor ?? ''} Thanks.`,
      })),
    /10 request_with_factor asks for nearly the same as session 4/,
  ],
  [
    'a factor that no session has',
    (plan) => withoutFactor(plan, plan.factors[0]?.factor ?? '', plan.factors[1]?.factor ?? ''),
    /no session has/,
  ],
])('%s is found in each of 50 personas', (_, inject, problem) => {
  const found = plans
    .slice(0, 50)
    .filter((plan) => problemsOf(inject(plan)).some((one) => problem.test(one)));
  expect(found).toHaveLength(50);
});

test('a message is noticed that has six words of the preference or of an item in a row, and the request is not', () => {
  const preference = 'Responses must open with the main recommendation, and avoid hedging.';
  const item = 'Is the response free of hedging?';
  const chat = [
    { role: 'user', content: `Help me. ${preference}` },
    { role: 'assistant', content: 'I open with the main recommendation, and avoid hedging.' },
    { role: 'user', content: 'Could you put what you recommend first?' },
    { role: 'assistant', content: null },
    { role: 'user', content: 'You should OPEN WITH “the main recommendation, and” so on.' },
    { role: 'user', content: 'Why? Is the response free of hedging or not?' },
  ];
  expect(listQuotingMessages(chat, [preference, item])).toEqual([4, 5]);
});

function problemsOf({ factors, sessions }: Plan): string[] {
  return [
    ...listFactorProblems(factors),
    ...listJourneyProblems(sessions, factors).map(
      ({ session, field, problem }) => `${session === undefined ? '' : session + 1} ${field} ${problem}`,
    ),
  ];
}

function withFactor(
  plan: Plan,
  index: number,
  change: (factor: ContextFactor) => Partial<ContextFactor>,
): Plan {
  return {
    ...plan,
    factors: plan.factors.map((factor, at) => (at === index ? { ...factor, ...change(factor) } : factor)),
  };
}

function withSession(
  plan: Plan,
  index: number,
  change: (session: PlannedSession) => Partial<PlannedSession>,
): Plan {
  return {
    ...plan,
    sessions: plan.sessions.map((session, at) =>
      at === index ? { ...session, ...change(session) } : session,
    ),
  };
}

function withoutFactor(plan: Plan, factor: string, other: string): Plan {
  return {
    ...plan,
    sessions: plan.sessions.map((session) =>
      session.context_factor === factor ? { ...session, context_factor: other } : session,
    ),
  };
}

function originalOf({ sessions, factors }: Plan): ContextFactor | undefined {
  return factors.find(({ factor }) => factor === sessions.at(-1)?.context_factor);
}

function partnerOf(plan: Plan): ContextFactor | undefined {
  return plan.factors.slice(-2).find((factor) => factor !== originalOf(plan));
}

function negate(preference: string): string {
  return preference.replace(/\b(must|should|has to|have to|needs? to)\b/, '$1 never');
}
