import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the number of calls of a run that had to be successive, whatever the number in flight. For synthesis, it is the longest of its personas:
 * description, factors, journey, the most repaired checklist, the longest dialogue. For evaluation, it is the longest chain of a trial.
 */
export function criticalPath(runFolder) {
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
  const of = (stages, pattern) =>
    longest([...stages].flatMap(([stage, calls]) => (pattern.test(stage) ? [calls] : [])));
  const ofPersona = (stages) =>
    1 + of(stages, /^factors$/) + of(stages, /^journey$/) + of(stages, /^checklist /) + of(stages, /^\d+$/);
  const ofTrial = (stages) =>
    Math.max(
      of(stages, /^infer$/) + of(stages, /^decompose$/) + of(stages, /^match /),
      of(stages, /^respond$/) + of(stages, /^judge$/),
    );
  return Math.max(longest([...personas.values()].map(ofPersona)), longest([...trials.values()].map(ofTrial)));
}

/** Lists every call that was sent, from the ledger of the run. */
function sentCalls(runFolder) {
  const ledger = join(runFolder, '.cupid', 'ledger');
  return readdirSync(ledger).flatMap((name) =>
    readFileSync(join(ledger, name), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, workflow, step, turn] = /"key":"([^"#]+)#g\d+\.([a-z]+)\.t([^"]*?)\.a\d+"/.exec(line) ?? [];
        return workflow === undefined ? [] : [{ workflow, step, turn }];
      }),
  );
}

function longest(counts) {
  return Math.max(0, ...counts);
}

function count(outer, key, stage) {
  const stages = outer.get(key) ?? new Map();
  outer.set(key, stages);
  stages.set(stage, (stages.get(stage) ?? 0) + 1);
}
