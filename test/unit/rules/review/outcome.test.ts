import {
  applyRevisions,
  decideInstance,
  decideTask,
  type ReviewRules,
} from '../../../../rules/review/outcome';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import type { Annotation, Revision } from '../../../../schemas/review/review';
import { buildPersona } from '../verification/persona';
import { annotate } from './annotation';

const CHECKLIST = ['Is it short?', 'Is it kind?'];
const RULES: ReviewRules = { raters: ['anna', 'ben'], third: 'carla', accept: 'third' };
const FULL: MatchLabel[] = ['Fully Covered', 'Fully Covered'];
const HALF: MatchLabel[] = ['Fully Covered', 'Partially Covered'];
const NONE: MatchLabel[] = ['Not Covered', 'Not Covered'];
const REVISION: Revision = { opening: null, index: 0, old_text: 'Help.', new_text: 'Help me.' };

function decide(
  given: Readonly<Record<string, Annotation>>,
  rules: Partial<ReviewRules> = {},
  kind: 'preference' | 'request' = 'preference',
) {
  return decideTask({ kind, checklist: CHECKLIST }, new Map(Object.entries(given)), { ...RULES, ...rules });
}

test('a task is open until both raters have annotated it', () => {
  expect(decide({ ben: annotate(FULL) })).toEqual({ state: 'open', missing: ['anna'] });
});

test.each(['any', 'all', 'third'] as const)('raters who agree decide alone (%s)', (accept) => {
  expect(decide({ anna: annotate(FULL), ben: annotate(FULL) }, { accept })).toMatchObject({
    state: 'decided',
    unsound: [],
  });
  expect(decide({ anna: annotate(HALF), ben: annotate(HALF) }, { accept })).toMatchObject({
    unsound: ['Is it kind?'],
  });
});

test('where they differ, one is enough (any), none is (all), or a third decides', () => {
  const differ = { anna: annotate(FULL), ben: annotate(HALF) };
  expect(decide(differ, { accept: 'any' })).toMatchObject({ unsound: [] });
  expect(decide(differ, { accept: 'all' })).toMatchObject({ unsound: ['Is it kind?'] });
  expect(decide(differ)).toEqual({ state: 'disputed' });
  expect(decide({ ...differ, carla: annotate(FULL) })).toMatchObject({ state: 'decided', unsound: [] });
  expect(decide({ ...differ, carla: annotate(NONE) })).toMatchObject({ unsound: CHECKLIST });
});

test.each(['any', 'all'] as const)('a request reveals what one rater finds in it (%s)', (accept) => {
  expect(decide({ anna: annotate(NONE), ben: annotate(HALF) }, { accept }, 'request')).toMatchObject({
    unsound: ['Is it short?'],
  });
});

test('partly expressed and not expressed are no difference; a rejection and a revision are one', () => {
  expect(decide({ anna: annotate(HALF), ben: annotate(['Fully Covered', 'Not Covered']) })).toMatchObject({
    state: 'decided',
  });
  expect(decide({ anna: annotate(FULL), ben: annotate(FULL, { rejection: 'Odd.' }) })).toEqual({
    state: 'disputed',
  });
  expect(decide({ anna: annotate(FULL), ben: annotate(FULL, { revisions: [REVISION] }) })).toEqual({
    state: 'disputed',
  });
});

test('without a third rater a rejection counts, and of two revisions of a message the first rater’s', () => {
  const other = { ...REVISION, new_text: 'Please help.' };
  const given = {
    anna: annotate(FULL, { revisions: [REVISION] }),
    ben: annotate(FULL, { revisions: [other], rejection: 'Odd.' }),
  };
  expect(decide(given, { accept: 'all', third: null })).toMatchObject({
    rejections: ['Odd.'],
    revisions: [REVISION],
  });
});

test('an edit that changes nothing is none, and the order of edits is no difference', () => {
  const unchanged = { ...REVISION, new_text: REVISION.old_text };
  const given = {
    anna: annotate(FULL, { revisions: [unchanged] }),
    ben: annotate(FULL, { revisions: [REVISION] }),
  };
  expect(decide(given, { accept: 'all', third: null })).toMatchObject({ revisions: [REVISION] });
  expect(decide({ ...given, ben: annotate(FULL) })).toMatchObject({ state: 'decided', revisions: [] });
  expect(decide({ ...given, carla: annotate(FULL, { revisions: [unchanged] }) })).toMatchObject({
    state: 'decided',
    revisions: [],
  });
  const second = { ...REVISION, opening: 'Hello.' };
  expect(
    decide({
      anna: annotate(FULL, { revisions: [REVISION, second] }),
      ben: annotate(FULL, { revisions: [second, REVISION] }),
    }),
  ).toMatchObject({ state: 'decided' });
});

describe('an instance', () => {
  const [instance] = buildPersona();
  if (instance === undefined) throw new Error('There is no instance.');

  test('is accepted where all its tasks are sound; another instance’s item in its request is not its own', () => {
    const sound = { kind: 'preference' as const, outcome: decided([]) };
    expect(decideInstance(instance, [sound, { kind: 'request', outcome: decided(['Is it full?']) }])).toBe(
      true,
    );
    const own = instance.current_checklist.slice(0, 1);
    expect(decideInstance(instance, [sound, { kind: 'request', outcome: decided(own) }])).toBe(false);
    expect(decideInstance(instance, [{ kind: 'preference', outcome: decided(['Any?']) }])).toBe(false);
    const rejected = { ...decided([]), rejections: ['Odd.'] };
    expect(decideInstance(instance, [{ kind: 'preference', outcome: rejected }])).toBe(false);
  });

  test('is undecided while one of its tasks is', () => {
    expect(
      decideInstance(instance, [
        { kind: 'preference', outcome: decided(['Any?']) },
        { kind: 'request', outcome: { state: 'disputed' } },
      ]),
    ).toBeUndefined();
  });

  test('has its request and its messages revised, by dialogue', () => {
    const [session] = instance.prior_interactions;
    const opening = session?.dialogue[0]?.content ?? '';
    const revised = applyRevisions(instance, [
      { opening: null, index: 0, old_text: instance.current_request, new_text: 'Another request.' },
      { opening, index: 2, old_text: session?.dialogue[2]?.content ?? '', new_text: 'Another hint.' },
    ]);
    expect(revised.current_request).toBe('Another request.');
    expect(revised.prior_interactions[0]?.dialogue[2]?.content).toBe('Another hint.');
    expect(revised.prior_interactions.slice(1)).toEqual(instance.prior_interactions.slice(1));
  });
});

function decided(unsound: readonly string[]) {
  return { state: 'decided' as const, unsound, rejections: [], revisions: [] };
}
