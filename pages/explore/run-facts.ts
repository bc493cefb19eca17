import { findRightOption, listOptions } from '../../rules/choice/options';
import { listRightGuesses } from '../../rules/statistics/shortcuts';
import { countUserMessages } from '../../rules/dialogue/ending';
import { isRelevant } from '../../rules/instances/relevance';
import { listRelevantSessions, splitInstances } from '../../rules/instances/split';
import { listQuotingMessages } from '../../rules/quality/dialogue';
import { listTouchedItems } from '../../rules/statistics/coverage';
import type { Instance } from '../../schemas/dataset/instance';
import type { StoredPersona } from '../../schemas/dataset/record';
import type { ListedInstance, InstanceRunFacts } from './answers';
import { DEFAULT_SEED, type SynthesisSettings } from '../../schemas/run/settings';

/** Facts of an instance, with the unsatisfied dialogues as the records count them. */
export type InstanceFacts = InstanceRunFacts & Pick<ListedInstance, 'unsatisfied'>;

interface RunInstance {
  readonly instance: Instance;
  readonly facts: InstanceFacts;
}

/** Lists the instances of a persona, with their facts. */
export function listRunInstances(
  stored: StoredPersona,
  { seed, maxTurns }: Pick<SynthesisSettings, 'seed' | 'maxTurns'>,
): RunInstance[] {
  const { record } = stored;
  const sessions = describeSessions(stored, maxTurns);
  const splits = splitInstances(record, seed);
  const options = listOptions(
    splits.map(({ instance }) => instance),
    DEFAULT_SEED,
  );
  return splits.map(({ instance, priorSessions }) => {
    const prior = sessions.filter(({ session }) => priorSessions.includes(session));
    const count = (predicate: (session: SessionFacts) => boolean) => prior.filter(predicate).length;
    const right = findRightOption(options, instance);
    return {
      instance,
      facts: {
        ...describeTypes(stored, instance),
        badAnswers: stored.bad_answers,
        unsatisfied: count(({ isSatisfied }) => !isSatisfied),
        turnLimits: count(({ isAtLimit }) => isAtLimit),
        quoting: count(({ isQuoting }) => isQuoting),
        unselected: count(({ isUnselected }) => isUnselected),
        untouched: countUntouched(instance),
        ...(right === undefined
          ? {}
          : { guesses: listRightGuesses(options, instance.current_request, right) }),
      },
    };
  });
}

interface SessionFacts {
  readonly session: number;
  readonly isSatisfied: boolean;
  readonly isAtLimit: boolean;
  readonly isQuoting: boolean;
  readonly isUnselected: boolean;
}

function describeSessions({ record, selections }: StoredPersona, maxTurns: number): SessionFacts[] {
  const relevant = listRelevantSessions(record);
  return record.interactions.map(
    ({ session_id: session, preference, checklist, chat, is_satisfied: isSatisfied }) => {
      const items = selections.find((selection) => selection.session === session)?.items ?? [];
      return {
        session,
        isSatisfied,
        isAtLimit: !isSatisfied && countUserMessages(chat) >= maxTurns,
        isQuoting: listQuotingMessages(chat, [preference, ...checklist]).length > 0,
        isUnselected: relevant.includes(session) && checklist.some((_, at) => !items.includes(at + 1)),
      };
    },
  );
}

function describeTypes(
  { record }: StoredPersona,
  { current_context_factor: current }: Instance,
): Pick<InstanceRunFacts, 'factorType' | 'preferenceType' | 'task'> {
  const factor = record.context_factors.find((candidate) => candidate.factor === current);
  return {
    factorType: factor?.factor_type,
    preferenceType: factor?.preference_type,
    task: record.sessions.at(-1)?.task_type,
  };
}

function countUntouched(instance: Instance): number {
  const { current_checklist: checklist, current_context_factor: factor } = instance;
  const relevant = instance.prior_interactions.filter((session) => isRelevant(session, instance));
  if (relevant.length === 0) return 0;
  const dialogues = relevant.map(({ dialogue }) => dialogue);
  return checklist.length - listTouchedItems(checklist, dialogues, factor).length;
}
