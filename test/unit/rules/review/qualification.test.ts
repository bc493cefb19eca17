import { listUnqualified, QUALIFICATION } from '../../../../rules/review/qualification';
import { isSamePreference } from '../../../../rules/texts/compare-texts';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import type { Annotation } from '../../../../schemas/review/review';
import { annotate } from './annotation';

type Label = (answer: MatchLabel) => MatchLabel;

/** Labels each item of the named task by its right answer; those of the others rightly. */
function labelBy(label: Label, only?: string) {
  return (task: string): Annotation | undefined => {
    const own = QUALIFICATION.find((one) => one.task === task);
    if (own === undefined) return undefined;
    const { preference, checklist, answers } = own;
    const labels = answers.map((answer) => (only === undefined || only === task ? label(answer) : answer));
    return annotate(labels, { task, preference, checklist });
  };
}

const list = (find: (task: string) => Annotation | undefined) =>
  listUnqualified(find).map(({ task }) => task);
const ALL = QUALIFICATION.map(({ task }) => task);

test('only the right labels pass the qualification', () => {
  expect(list(labelBy((answer) => answer))).toEqual([]);
  expect(list(() => undefined)).toEqual(ALL);
});

test.each<[string, Label]>([
  ['what is plainly said is not expressed at all', () => 'Not Covered'],
  ['what is not mentioned is fully expressed', () => 'Fully Covered'],
  ['everything is expressed in part', () => 'Partially Covered'],
])('who says that %s repeats each task', (_, label) => {
  expect(list(labelBy(label))).toEqual(ALL);
  expect(list(labelBy(label, 'qualification/2'))).toEqual(['qualification/2']);
});

test('no item that is not mentioned says the same as another item of its task', () => {
  for (const { checklist, answers } of QUALIFICATION) {
    const [absent, said] = (['Not Covered', 'Fully Covered'] as const).map((answer) =>
      checklist.filter((_, item) => answers[item] === answer),
    );
    expect([absent?.length, said?.length]).not.toContain(0);
    for (const item of absent ?? []) expect(said?.filter((one) => isSamePreference(one, item))).toEqual([]);
  }
});
