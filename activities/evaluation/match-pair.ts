import { checkMatch } from '../../rules/answers/evaluation/match';
import { seedPlace } from '../../journal/revisions';
import type { TrialKey } from '../../journal/key';
import { pairTurn } from '../../rules/trials/trials';
import type { MatchLabel } from '../../schemas/evaluation';
import type { PairWork } from '../../schemas/evaluation-run';
import { askModel, type Asked } from '../ask-model';
import type { EvaluationWorld } from './files';
import type { Place } from './inputs';
import { matchPrompt } from './match-checklist';
import { stepOf } from './read-trial';

/** Has a matcher label a preference-checklist pair that people have labelled (paper, A.1). */
export async function matchPair(
  world: EvaluationWorld,
  input: PairWork & Omit<Place, keyof TrialKey>,
): Promise<Asked<MatchLabel[]>> {
  const run = await world.run(input.run);
  const { id, preference, checklist, matcher } = input;
  return askModel(world, run, {
    ...stepOf(run, 'match', run.inputs.evaluators[matcher.number - 1]),
    workflowId: input.workflowId,
    generation: input.generation,
    turn: pairTurn(matcher),
    seedTurn: matcher.form,
    ask: input.ask,
    place: seedPlace(['pair', id], input.generation),
    ...matchPrompt(run, matcher.form, preference, checklist),
    // Labels that do not line up with people's say nothing of agreement, however the scores are read.
    check: (text) => checkMatch(text, checklist),
  });
}
