import type { EvaluationPurpose } from '../../schemas/evaluation/purpose';
import { RESULTS } from '../../schemas/evaluation/results';
import { VERIFICATION_FILES } from '../../schemas/verification/verification';

/** Files of a purpose, and the words for it in messages. */
interface PurposeFacts {
  readonly noun: string;
  /** The noun, with the command if it is not `cupid eval`. */
  readonly nounWithCommand: string;
  readonly verb: string;
  /** Files of the results. */
  readonly outputs: readonly string[];
  /** Settings that a later command may change. */
  readonly changeable: string;
  /** The calls that read all instances of a persona. */
  readonly personaCalls: string;
  /** Remedy if the data have changed and are not to be done again. */
  readonly keepStored: string;
}

/** Differences between the purposes of an evaluation. */
export const PURPOSES: Readonly<Record<EvaluationPurpose, PurposeFacts>> = {
  evaluation: {
    noun: 'an evaluation',
    nounWithCommand: 'an evaluation',
    verb: 'evaluate',
    outputs: Object.values(RESULTS),
    changeable: 'Models, evaluators, contexts and tasks may be added.',
    personaCalls: 'some of its calls',
    keepStored: 'To continue on the stored instances, leave --data out.',
  },
  verification: {
    noun: 'a verification',
    nounWithCommand: 'a verification (cupid verify)',
    verb: 'verify',
    outputs: Object.values(VERIFICATION_FILES),
    changeable: 'Only --sample, --split and --where-persona may differ.',
    personaCalls: 'its calls',
    keepStored: 'To verify the changed data separately, name another --results-dir.',
  },
};
