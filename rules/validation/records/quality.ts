import type { RecordForm } from '../../../schemas/dataset/record';
import { listQuotingMessages } from '../../quality/dialogue';
import { listFactorProblems } from '../../quality/factors';
import { listJourneyProblems } from '../../quality/journey';
import type { RowFinding } from '../finding';

/** Lists things that people should look at in a sound record, because they make its instances easier or unsolvable. */
export function validateQuality({
  context_factors: factors,
  sessions,
  interactions,
}: RecordForm): RowFinding[] {
  const quoting = interactions.flatMap(({ chat, preference, checklist }, index) =>
    listQuotingMessages(chat, [preference, ...checklist]).map((message): RowFinding => ({
      rule: 'dialogue-quality',
      field: `interactions[${index}].chat[${message}].content`,
      message: 'quotes the preference or an item of the checklist, which a model must infer.',
    })),
  );
  return [
    ...listFactorProblems(factors).map((problem): RowFinding => ({
      rule: 'factor-quality',
      field: 'context_factors',
      message: `${problem}.`,
    })),
    ...listJourneyProblems(sessions, factors).map(({ session, field, problem }): RowFinding => ({
      rule: 'journey-quality',
      field: session === undefined ? 'sessions' : `sessions[${session}].${field}`,
      message: `${problem}.`,
    })),
    ...quoting,
  ];
}
