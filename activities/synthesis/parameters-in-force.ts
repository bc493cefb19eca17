import { readLearned } from '../../data/learned-models';
import { tableFor } from '../../data/model-table';
import { readSteering } from '../../data/steering';
import type { Store } from '../../data/store';
import { parametersFor } from '../../models/parameters';
import { factsOf } from '../../rules/model-facts';
import { ROLE_OF } from '../../rules/model-roles';
import type { ParametersInForce } from '../../schemas/run';
import type { SynthesisSettings } from '../../schemas/settings';
import { SYNTHESIS_STEPS } from '../../schemas/step';

/** The parameters that each step of a run is sent with now: what its settings ask for, as far as its model takes it. */
export async function parametersInForce(
  store: Store,
  { models, steps }: SynthesisSettings,
): Promise<ParametersInForce> {
  const table = [...tableFor(await readSteering(store)), ...(await readLearned(store))];
  return Object.fromEntries(
    SYNTHESIS_STEPS.map((step) => {
      const sent = parametersFor({ ...steps[step], seed: 0 }, {}, factsOf(models[ROLE_OF[step]], table));
      const { temperature, seed, effort, tokenLimit } = sent;
      return [
        step,
        {
          ...(temperature === undefined ? {} : { temperature }),
          ...(effort === undefined ? {} : { reasoningEffort: effort }),
          seed: seed !== undefined,
          tokenLimit,
        },
      ];
    }),
  );
}
