import { renderMatcherExamples } from '../../prompts/evaluation-values';
import { renderChecklist } from '../../prompts/values';
import { buildMatchTurn, type NumberedMatcher } from '../../rules/trials/trials';
import type { MatchLabel, Matcher } from '../../schemas/evaluation/evaluation';
import { askModel, type CheckedAnswer } from '../ask-model';
import { buildSystemHint } from '../cache-hints';
import { buildPromptQuestion } from '../prompt-question';
import type { EvaluationFiles, EvaluationWorld } from './files';
import type { DecompositionRefs, Place } from './inputs';
import { readDecomposition, readInference, getAnswerReading, buildTrialCall } from './read-trial';

/**
 * Has a matcher label how far each entry of one checklist is covered by the other preference: the inferred checklist against the
 * true preference, or the true checklist against the inferred one (paper, 2.3 and figure 14).
 */
export async function matchChecklist(
  world: EvaluationWorld,
  input: Place &
    DecompositionRefs & { readonly matcher: NumberedMatcher; readonly list: 'inferred' | 'true' },
): Promise<CheckedAnswer<MatchLabel[]>> {
  const run = await world.run(input.run);
  const { instance } = await run.instance(input.instance);
  const [preference, checklist] =
    input.list === 'inferred'
      ? [instance.current_contextual_preference, await readDecomposition(run, input)]
      : [await readInference(run, input), instance.current_checklist];
  return askModel(world, run, {
    ...(await buildTrialCall(run, input, 'match', run.inputs.evaluators[input.matcher.number - 1])),
    turn: buildMatchTurn(input.decomposer, input.matcher, input.list),
    seedTurn: `${input.matcher.form} ${input.list}`,
    ...renderMatchPrompt(run, input.matcher.form, preference, checklist),
    check: (text) => getAnswerReading(run).match(text, checklist),
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
