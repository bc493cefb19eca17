import type { TrialKey } from '../../engine/journal/key';
import { deriveSeedPlace } from '../../engine/journal/revisions';
import { renderMatcherExamples } from '../../data/prompts/evaluation-values';
import { renderChecklist } from '../../data/prompts/values';
import { checkMatch } from '../../rules/answers/evaluation/match';
import { buildMatchTurn, buildPairTurn, type NumberedMatcher } from '../../rules/trials/trials';
import type { MatchLabel, Matcher } from '../../schemas/evaluation/evaluation';
import type { PairWork } from '../../schemas/evaluation/evaluation-run';
import { askModel, type CheckedAnswer, buildPromptQuestion } from '../ask-model';
import { buildSystemHint } from '../cache-hints';
import type { EvaluationFiles, EvaluationWorld, DecompositionRefs, Place } from './inputs';
import {
  buildStepQuestion,
  buildTrialCall,
  getAnswerReading,
  readDecomposition,
  readInference,
} from './read-trial';

/**
 * Has a matcher label how far each entry of one checklist is covered by the other preference: the inferred checklist against the
 * true preference, or the true checklist against the inferred one (paper, 2.3 and figure 14).
 */
export async function matchChecklist(
  world: EvaluationWorld,
  input: Place &
    DecompositionRefs & { readonly matcher: NumberedMatcher; readonly list: 'inferred' | 'true' },
): Promise<CheckedAnswer<MatchLabel[]>> {
  const { run } = world;
  const { instance } = await run.instance(input.instance);
  const [preference, checklist] =
    input.list === 'inferred'
      ? [instance.current_contextual_preference, await readDecomposition(run, input)]
      : [await readInference(run, input), instance.current_checklist];
  return askModel(world, {
    ...(await buildTrialCall(run, input, 'match', run.inputs.evaluators[input.matcher.number - 1])),
    turn: buildMatchTurn(input.decomposer, input.matcher, input.list),
    seedTurn: `${input.matcher.form} ${input.list}`,
    ...renderMatchPrompt(run, input.matcher.form, preference, checklist),
    check: (text) => getAnswerReading(run).match(text, checklist),
  });
}

/** Has a matcher label a preference-checklist pair that people have labelled (paper, A.1). */
export async function matchPair(
  world: EvaluationWorld,
  input: PairWork & Omit<Place, keyof TrialKey>,
): Promise<CheckedAnswer<MatchLabel[]>> {
  const { run } = world;
  const { id, preference, checklist, matcher } = input;
  return askModel(world, {
    ...buildStepQuestion(run, input, 'match', run.inputs.evaluators[matcher.number - 1]),
    turn: buildPairTurn(matcher),
    seedTurn: matcher.form,
    place: deriveSeedPlace(['pair', id], input.generation),
    ...renderMatchPrompt(run, matcher.form, preference, checklist),
    // Labels that cannot be aligned with people's labels do not count for agreement, whatever rules the scores follow.
    takesRaw: false,
    check: (text) => checkMatch(text, checklist),
  });
}

/** A matcher's prompt: with worked examples for any model, without for PrefMatcher, which was trained on its own form. */
export function renderMatchPrompt(
  run: EvaluationFiles,
  form: Matcher['form'],
  preference: string,
  checklist: readonly string[],
) {
  const values = { preference, checklist: renderChecklist(checklist) };
  if (form === 'prefmatcher') return buildPromptQuestion(run, 'evaluation/preference_matcher_model', values);
  const constants = { examples: renderMatcherExamples(run.prompts.matcherExamples ?? []) };
  const cache = buildSystemHint([run.id, 'match'], run.prompts, 'evaluation/preference_matcher', constants);
  return {
    ...buildPromptQuestion(run, 'evaluation/preference_matcher', { ...values, ...constants }),
    ...(cache === undefined ? {} : { cache }),
  };
}
