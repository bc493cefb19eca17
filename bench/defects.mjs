/**
 * Measures how well the strict rules distinguish defective from sound answers, without a model: the share of injected defects that are found, by
 * kind, and of sound answers that are rejected. The answers are those of simulated personas.
 *
 *   npm run build && node bench/defects.mjs [--personas N]
 *
 * --personas     how many personas are synthesized (default: 200); every tenth one's dialogues are led
 */
import { loadTypeScript } from './shared/load-typescript.mjs';
import { readOptions } from './shared/options.mjs';
import { describeMachine } from './shared/processes.mjs';
import { printTable } from './shared/table.mjs';

const { openSimulated } = loadTypeScript('test/unit/models/simulated/persona.ts');
const {
  findTurnProblem,
  isLeakByModel,
  isLeakByRules,
  LEAKS,
  listPlanProblems,
  PLAN_DEFECTS,
  recordPlan,
  recordTurns,
  TURN_DEFECTS,
} = loadTypeScript('test/unit/rules/quality/defects.ts');

const { personas } = readOptions({ personas: 200 });
const model = openSimulated();
const plans = [];
const turns = [];
for (let id = 1; id <= personas; id += 1) {
  const plan = await recordPlan(model, id);
  plans.push(plan);
  if (id % 10 === 0) turns.push(...(await recordTurns(model, plan)));
}

const sound = [
  {
    answer: 'plans: description, factors, journey',
    of: plans.length,
    rejected: plans.filter((plan) => listPlanProblems(plan).length > 0).length,
  },
  {
    answer: "user's turns",
    of: turns.length,
    rejected: turns.filter((turn) => findTurnProblem(turn) !== '').length,
  },
];
const plansPerPersona = 3;
const rejections = sound.map(({ rejected, of }) => rejected / of);
const turnsPerPersona = turns.length / Math.floor(plans.length / 10);
// A rejected answer is asked for once more; describing, planning and the dialogues are about 2 × turns + 10 calls.
const added = rejections[0] + rejections[1] * turnsPerPersona;
const calls = 2 * turnsPerPersona + plansPerPersona + 7;

const found = (name, injected, isFound) => ({
  defect: name,
  injected: injected.length,
  found: share(injected.filter(isFound).length, injected.length),
});
printTable(`Injected defects, simulated answers. ${describeMachine()}`, [
  ...PLAN_DEFECTS.map(({ name, inject, problem }) =>
    found(name, plans.map(inject), (plan) => listPlanProblems(plan).some((one) => problem.test(one))),
  ),
  ...TURN_DEFECTS.map(({ name, inject, problem }) =>
    found(
      name,
      turns.flatMap((turn) => inject(turn) ?? []),
      (turn) => problem.test(findTurnProblem(turn)),
    ),
  ),
]);
const leaks = [];
for (const { name, inject } of [{ name: 'nothing', inject: (plan) => plan }, ...LEAKS]) {
  const leaking = plans.map(inject);
  let byModel = 0;
  for (const plan of leaking) if (await isLeakByModel(model, plan)) byModel += 1;
  leaks.push({
    'the current request reveals': name,
    of: leaking.length,
    'found by the rules': share(leaking.filter(isLeakByRules).length, leaking.length),
    'found by a verifier, simulated': share(byModel, leaking.length),
  });
}
printTable('Leaks', leaks);
printTable(
  'Sound answers',
  sound.map(({ answer, of, rejected }) => ({ answer, of, rejected, share: share(rejected, of) })),
);
console.log(
  `Calls added per persona: ${added.toFixed(2)} of ${calls.toFixed(0)} (${((100 * added) / calls).toFixed(1)} %).`,
);

function share(part, of) {
  return `${((100 * part) / of).toFixed(1)} %`;
}
