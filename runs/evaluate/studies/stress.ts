import { readStoredRows } from '../../../data/run/evaluation-plan';
import { computeRecall, computeStress } from '../../../rules/analyses/stress';
import { drawCrossed, listStressCases, type StressRow } from '../../../rules/analyses/stress-cases';
import { groupBy } from '../../../rules/group-by';
import { drawPersonas } from '../../../rules/sampling/cohorts';
import { getSpec } from '../../../rules/method/evaluation-work';
import { formatResultName } from '../../../rules/trials/rows';
import type { EvaluatorName } from '../../../schemas/evaluation/results/keys';
import type { StressResults, StressValue } from '../../../schemas/evaluation/results/studies';
import type { CrossedWork } from '../../../schemas/evaluation/studies';
import { readJudgements } from './judgements';
import type { LocatedRow } from '../located-rows';
import { hashPair, listPairWork, readMatchedPairs } from './matched-pairs';
import type { Sample, Study, StudyBasis } from './study';
import type { StoredEvaluation } from '../outcomes';

/** Errors of matchers and judges on answers of known truth. */
export const STRESS: Study<'stress', StressResults> = {
  tasks: ['inference', 'generation'],
  evaluators: ['inference', 'generation'],
  readsPersonas: false,
  buildRequest: ({ stress }) => stress,
  draw: drawStress,
  getRequest: ({ count }) => count,
  read: readStress,
};

/** A row for a stress test, with its number in the data set. */
type NumberedStressRow = StressRow & { readonly number: number };

/**
 * Draws the preferences and responses of a stress test by the seed. A larger sample contains every smaller one, and personas
 * that were added to the data come after the others. Matchers are tested on the first `count` personas that are drawn, each judge on the first
 * with a response that it can be tested on.
 */
async function drawStress(
  { evaluation, rows, cohorts }: StudyBasis,
  count: number,
): Promise<Sample<'stress'>> {
  const { seed } = evaluation.inputs.settings;
  const groups = groupBy(evaluation.index, ({ persona_id }) => persona_id);
  const drawnGroups = drawPersonas(cohorts, seed, 'stress').flatMap((id) => {
    const group = groups.get(id);
    return group === undefined ? [] : [group];
  });
  const read = (group: (typeof drawnGroups)[number]) =>
    readStressRows(
      evaluation,
      group.map(({ number }) => number),
    );
  const personas: NumberedStressRow[][] = [];
  // One more, whose preference is the wrong one of the last.
  for (const group of drawnGroups.slice(0, count + 1)) personas.push(await read(group));
  const cases = listStressCases(personas, count, seed);

  const crossed: CrossedWork[] = [];
  const rowsByJudge = groupBy(
    rows.filter(({ task }) => task === 'generation'),
    ({ place }) => place.judge,
  );
  for (const [judge, judgedRows] of rowsByJudge) {
    const responses = groupBy(judgedRows, ({ persona_id }) => persona_id);
    let left = count;
    for (const group of drawnGroups) {
      const [first] = group;
      const ofPersona = responses.get(first?.persona_id ?? '') ?? [];
      if (left === 0) break;
      if (ofPersona.length === 0) continue;
      const persona = await read(group);
      const crossedResponse = drawCrossed(persona, ofPersona, seed);
      const on = persona.find(({ instance_type: type }) => type === crossedResponse?.on)?.number;
      if (crossedResponse === undefined || on === undefined) continue;
      const { key, response } = crossedResponse.response.place;
      crossed.push({ kind: 'crossed', ...key, judge, response, row: on });
      left -= 1;
    }
  }
  return {
    count,
    cases: cases.map(({ persona_id, kind, ...pair }) => ({ persona_id, kind, pair: hashPair(pair) })),
    judges: [...rowsByJudge.keys()],
    work: [...listPairWork(evaluation, cases), ...crossed],
  };
}

async function readStress(
  evaluation: StoredEvaluation,
  { count, cases, judges, work }: Sample<'stress'>,
  rows: readonly LocatedRow[],
): Promise<StressResults | undefined> {
  const { evaluators } = evaluation.inputs;
  const matchedPairs = await readMatchedPairs(
    evaluation,
    work.filter((piece) => piece.kind === 'pair'),
  );
  if (matchedPairs === undefined) return undefined;
  const values = matchedPairs.flatMap(({ labels, ...name }) =>
    cases.map(({ persona_id, kind, pair }): StressValue => ({
      ...name,
      persona_id,
      kind,
      value: computeRecall(labels.get(pair) ?? null),
    })),
  );
  const nameJudge = (judge: number): EvaluatorName => ({
    evaluator: formatResultName(evaluators, getSpec(evaluators, judge)),
    evaluator_form: 'judge',
  });
  const crossed = await readJudgements(
    evaluation,
    work.filter((piece) => piece.kind === 'crossed'),
    rows,
  );
  if (crossed === undefined) return undefined;
  for (const { work: piece, row, scores } of crossed) {
    const answer = { ...nameJudge(piece.judge), persona_id: row.persona_id };
    // A response from a history may be wrong on its own checklist as well.
    if (piece.context === 'preference') values.push({ ...answer, kind: 'true', value: row.score });
    values.push({ ...answer, kind: 'other-row', value: scores[0] ?? null });
  }
  const tested = [
    ...matchedPairs.map(({ evaluator, evaluator_form }) => ({ evaluator, evaluator_form })),
    ...judges.map(nameJudge),
  ];
  const sampled = Math.min(count, new Set(evaluation.index.map(({ persona_id }) => persona_id)).size);
  return {
    stress: computeStress(tested, values, { requested: count, sampled }),
    stress_values: values,
  };
}

async function readStressRows(
  evaluation: StoredEvaluation,
  numbers: readonly number[],
): Promise<NumberedStressRow[]> {
  const stored = await readStoredRows(evaluation, numbers);
  return stored.map(({ instance }, at) => ({
    ...instance,
    // Dialogues take far more memory than all the rest.
    prior_interactions: instance.prior_interactions.map(({ context_factor, contextual_preference }) => ({
      context_factor,
      contextual_preference,
    })),
    number: numbers[at] ?? 0,
  }));
}
