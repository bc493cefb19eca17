import { listQuotingMessages } from '../../../../rules/quality/dialogue';
import { openSimulated } from '../../models/simulated/persona';
import {
  type AnsweredTurn,
  findTurnProblem,
  listPlanProblems,
  PLAN_DEFECTS,
  recordPlan,
  recordTurns,
  TURN_DEFECTS,
  type Plan,
} from './defects';

const PERSONAS = 60;

let plans: Plan[];
/** Every turn of the first personas' dialogues. */
let turns: AnsweredTurn[];

beforeAll(async () => {
  const model = openSimulated();
  plans = await Promise.all(Array.from({ length: PERSONAS }, (_, id) => recordPlan(model, id + 1)));
  turns = (await Promise.all(plans.slice(0, 4).map((plan) => recordTurns(model, plan)))).flat();
});

test('of 60 personas without a defect, none has a problem', () => {
  const bad = plans.filter((plan) => listPlanProblems(plan).length > 0);
  expect(bad).toEqual([]);
});

test.each(PLAN_DEFECTS)('$name is found in each of 15 personas', ({ inject, problem }) => {
  const found = plans
    .slice(0, 15)
    .filter((plan) => listPlanProblems(inject(plan)).some((one) => problem.test(one)));
  expect(found).toHaveLength(15);
});

test('no turn without a defect has a problem', () => {
  expect(turns.length).toBeGreaterThan(120);
  expect(turns.map(findTurnProblem).filter((problem) => problem !== '')).toEqual([]);
});

test.each(TURN_DEFECTS)('$name is found in each turn that can have it', ({ inject, problem }) => {
  const injected = turns.flatMap((turn) => inject(turn) ?? []);
  expect(injected.length).toBeGreaterThan(5);
  expect(injected.map(findTurnProblem).filter((one) => !problem.test(one))).toEqual([]);
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
