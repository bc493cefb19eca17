import { readPairs } from '../../data/evaluation-plan';
import { pairTurn, type NumberedMatcher } from '../../rules/trials';
import type { MatchLabel } from '../../schemas/evaluation';
import { askModel, type Asked } from '../ask-model';
import type { EvaluationWorld } from './files';
import { matchPrompt } from './match-checklist';
import { readingOf, stepOf } from './read-trial';

/** Has a matcher label a preference-checklist pair that people have labelled (paper, A.1). */
export async function matchPair(
  world: EvaluationWorld,
  input: {
    readonly run: string;
    /** Its line in the file, from 1. */
    readonly pair: number;
    readonly matcher: NumberedMatcher;
    readonly generation: number;
    readonly ask: number;
  },
): Promise<Asked<MatchLabel[]>> {
  const run = await world.run(input.run);
  const pair = (await readPairs(run.store))[input.pair - 1];
  if (pair === undefined) throw new Error(`Evaluation ${run.id} has no pair ${input.pair}.`);
  return askModel(world, run, {
    ...stepOf(run, 'match', run.inputs.evaluators[input.matcher.number - 1]),
    generation: input.generation,
    turn: pairTurn(input.matcher),
    ask: input.ask,
    place: ['pair', input.pair],
    ...matchPrompt(run, input.matcher.form, pair.preference, pair.checklist),
    check: (text) => readingOf(run).match(text, pair.checklist),
  });
}
