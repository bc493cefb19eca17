import type { MatchLabel } from '../../../../schemas/matching/match-label';
import type { Annotation } from '../../../../schemas/review/review';

/** Builds an annotation of a preference with one label for each item of its checklist. */
export function annotate(labels: readonly MatchLabel[], changes: Partial<Annotation> = {}): Annotation {
  return {
    task: '1/preference-1',
    rater: 'anna',
    preference: 'Answers must be short and kind.',
    checklist: ['Is it short?', 'Is it kind?'],
    labels: labels.map((label) => [label]),
    realism: 4,
    implicitness: 4,
    revisions: [],
    rejection: null,
    annotated_at: '2026-11-23T12:00:00.000Z',
    ...changes,
  };
}
