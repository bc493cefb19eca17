import type { EvaluationPurpose } from '../../schemas/evaluation/purpose';
import { RESULTS } from '../../schemas/evaluation/results';
import { VERIFICATION_FILES } from '../../schemas/verification/verification';

/** Facts of a purpose: its files, what its calls read, and the words for it in messages. */
interface PurposeFacts {
  readonly noun: string;
  /** The noun, with the command if it is not `cupid eval`. */
  readonly nounWithCommand: string;
  readonly verb: string;
  /** Files of the results. */
  readonly outputs: readonly string[];
  /** Whether all its calls read whole personas: all their rows, and the checklists of all their preferences. */
  readonly readsPersonas: boolean;
  /** The noun for what a call without a usable answer leaves missing. */
  readonly resultNoun: string;
  /** The noun for its studies in progress lines. */
  readonly studiesNoun: string;
  /** Settings that a later command may change. */
  readonly changeable: string;
  /** The calls that read all instances of a persona. */
  readonly personaCalls: string;
  /** Remedy if the data have changed and are not to be done again. */
  readonly keepStored: string;
  /** Suggests another model in place of the one that judges. @param run its folder, as a command names it */
  readonly suggestOtherJudge: (run: string) => string;
  /** Describes why a retry cannot use another model, and the remedy. @param run its folder, as the command names it */
  readonly describeFixedModels: (run: string) => string;
}

const VERIFY_ANEW = 'cupid verify DATA --model SPEC --results-dir DIR';

function formatEvaluatorCommand(run: string): string {
  return `cupid eval --results-dir ${run} --rescore --evaluator SPEC`;
}

/** Differences between the purposes of an evaluation. */
export const PURPOSES: Readonly<Record<EvaluationPurpose, PurposeFacts>> = {
  evaluation: {
    noun: 'an evaluation',
    nounWithCommand: 'an evaluation',
    verb: 'evaluate',
    outputs: Object.values(RESULTS),
    readsPersonas: false,
    resultNoun: 'score',
    studiesNoun: 'studies',
    changeable: 'Models, evaluators, contexts and tasks may be added.',
    personaCalls: 'some of its calls',
    keepStored: 'To continue on the stored instances, leave --data out.',
    suggestOtherJudge: (run) => `Use another evaluator: ${formatEvaluatorCommand(run)}`,
    describeFixedModels: (run) =>
      `--model cannot be used with an evaluation: the models and evaluators name the columns of its results, so another model cannot answer in their place. Leave it out, or add a column: ${formatEvaluatorCommand(run)} adds an evaluator, and cupid eval --results-dir ${run} --model SPEC adds a model.`,
  },
  verification: {
    noun: 'a verification',
    nounWithCommand: 'a verification (cupid verify)',
    verb: 'verify',
    outputs: Object.values(VERIFICATION_FILES),
    readsPersonas: true,
    resultNoun: 'verdict',
    // A study is the verification of one persona; some are verified twice.
    studiesNoun: 'verifications',
    changeable: 'Only --sample, --split and --where-persona may differ.',
    personaCalls: 'its calls',
    keepStored: 'To verify the changed data separately, name another --results-dir.',
    suggestOtherJudge: () => `Use another model: ${VERIFY_ANEW}`,
    describeFixedModels: () =>
      `--model cannot be used with a verification: its verdicts are those of one model. Leave it out, or verify with another model: ${VERIFY_ANEW}.`,
  },
};
