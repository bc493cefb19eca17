import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the number of calls of a run that had to be successive, whatever the number in flight. For synthesis, it is the longest of its personas:
 * description, factors, journey, the most repaired checklist, the longest dialogue. For evaluation, it is the longest chain of a trial.
 */
export function criticalPath(runFolder) {
  return computeLength(callPlan(runFolder));
}

function computeLength(plan) {
  if (typeof plan === 'number') return plan;
  if (Array.isArray(plan)) return plan.reduce((sum, part) => sum + computeLength(part), 0);
  return Math.max(0, ...plan.all.map(computeLength));
}

/** Returns the calls of a run: a number of calls one after the other, a list of parts one after the other, or `{ all }` side by side. */
export function callPlan(runFolder) {
  const personas = new Map();
  const trials = new Map();
  for (const { workflow, step, turn } of sentCalls(runFolder)) {
    const [, persona, session] = /\/p(\d+)(?:\/s(\d+))?$/.exec(workflow) ?? [];
    if (persona !== undefined) {
      const stage = step === 'checklist' ? `checklist ${turn}` : (session ?? step);
      count(personas, persona, stage);
    } else if (/\/i\d+\/m\d+\//.test(workflow)) {
      count(trials, workflow, step === 'match' ? `match ${turn}` : step);
    }
  }
  return { all: [...[...personas.values()].map(planPersona), ...[...trials.values()].map(planTrial)] };
}

/** Lists every call that was sent, from the ledger of the run. */
function sentCalls(runFolder) {
  const ledger = join(runFolder, '.cupid', 'ledger');
  return readdirSync(ledger).flatMap((name) =>
    readFileSync(join(ledger, name), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, workflow, step, turn] = /"key":"([^"#]+)#r\d+\.([a-z]+)\.t([^"]*?)\.a\d+"/.exec(line) ?? [];
        return workflow === undefined ? [] : [{ workflow, step, turn }];
      }),
  );
}

function planPersona(stages) {
  return [
    1,
    ...listCalls(stages, /^factors$/),
    ...listCalls(stages, /^journey$/),
    { all: listCalls(stages, /^checklist /) },
    { all: listCalls(stages, /^\d+$/) },
  ];
}

function planTrial(stages) {
  return {
    all: [
      [
        ...listCalls(stages, /^infer$/),
        ...listCalls(stages, /^decompose$/),
        { all: listCalls(stages, /^match /) },
      ],
      [...listCalls(stages, /^respond$/), ...listCalls(stages, /^judge$/)],
    ],
  };
}

function listCalls(stages, pattern) {
  return [...stages].flatMap(([stage, calls]) => (pattern.test(stage) ? [calls] : []));
}

function count(outer, key, stage) {
  const stages = outer.get(key) ?? new Map();
  outer.set(key, stages);
  stages.set(stage, (stages.get(stage) ?? 0) + 1);
}
