import { checkMatch } from '../../rules/answers/evaluation/match';
import { deriveSeedPlace } from '../../journal/revisions';
import type { TrialKey } from '../../journal/key';
import { buildPairTurn } from '../../rules/trials/trials';
import type { MatchLabel } from '../../schemas/evaluation/evaluation';
import type { PairWork } from '../../schemas/evaluation/evaluation-run';
import { askModel, type CheckedAnswer } from '../ask-model';
import type { EvaluationWorld } from './files';
import type { Place } from './inputs';
import { renderMatchPrompt } from './match-checklist';
import { buildStepQuestion } from './read-trial';

/** Has a matcher label a preference-checklist pair that people have labelled (paper, A.1). */
export async function matchPair(
  world: EvaluationWorld,
  input: PairWork & Omit<Place, keyof TrialKey>,
): Promise<CheckedAnswer<MatchLabel[]>> {
  const run = await world.run(input.run);
  const { id, preference, checklist, matcher } = input;
  return askModel(world, run, {
    ...buildStepQuestion(run, input, 'match', run.inputs.evaluators[matcher.number - 1]),
    turn: buildPairTurn(matcher),
    seedTurn: matcher.form,
    place: deriveSeedPlace(['pair', id], input.generation),
    ...renderMatchPrompt(run, matcher.form, preference, checklist),
    // Labels that do not line up with people's say nothing of agreement, however the scores are read.
    check: (text) => checkMatch(text, checklist),
  });
}
