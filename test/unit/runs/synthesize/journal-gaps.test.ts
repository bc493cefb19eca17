import { findGaps } from '../../../../runs/synthesize/journal-gaps';
import { buildDialogueId, buildPersonaWorkflowId } from '../../../../engine/journal/key';
import type { JournalEntry } from '../../../../schemas/run/journal';
import type { PlannedPersona } from '../../../../schemas/dataset/persona';
import type { Restart } from '../../../../schemas/run/restart';
import { buildJournalEntry } from '../../../journal-entry';
import { buildKey, PERSONA, recordPersona, RUN, settings } from '../../engine/journal/recorded-persona';

const BATCH = { first: PERSONA, count: 1 };
const TEMPLATE: PlannedPersona = {
  id: PERSONA,
  seed: 'cook',
  career_level: 'senior-level/advanced/lead/expert',
  personality_traits: ['High openness', 'Low neuroticism'],
  personal_values: ['Achievement', 'Power'],
  decision_making_styles: 'Analytical',
};
const GIVEN: PlannedPersona = { ...TEMPLATE, description: 'A cook.', occupation: 'cook' };

let entries: JournalEntry[];

beforeAll(async () => {
  entries = await recordPersona();
  expect(entries.length).toBeGreaterThan(30);
});

test('a whole chain has no gap, and one that was cut off at any moment has none', async () => {
  expect(await gapsIn(entries)).toEqual([]);
  for (let length = 0; length < entries.length; length += 1) {
    expect(await gapsIn(entries.slice(0, length))).toEqual([]);
  }
});

test('of a persona whose description was given, none is missing', async () => {
  const described = buildKey('describe', PERSONA, RUN);
  expect(await gapsIn(without(described))).toEqual([described]);
  expect(await gapsIn(without(described), [], [GIVEN])).toEqual([]);
});

test('any answer that is missing is a gap when others were built on it, and none when not', async () => {
  const last = new Set(
    [...new Map(entries.map(({ key }) => [key.slice(0, key.indexOf('#')), key]))]
      .filter(([workflow]) => workflow.includes('/s'))
      .map(([, key]) => key),
  );
  expect(last.size).toBe(8);
  for (const { key } of entries) {
    expect(await gapsIn(without(key))).toEqual(last.has(key) ? [] : [key]);
  }
});

test('a bad answer that is missing before the one that counts is a gap, too', async () => {
  const key = buildKey('journey', 0, buildPersonaWorkflowId(RUN, PERSONA));
  const journey = entries.find((entry) => entry.key === key);
  const second = buildJournalEntry(key.replace('.a0', '.a1'), { text: journey?.answer.text ?? '' });
  const others = entries.filter((entry) => entry !== journey);
  expect(await gapsIn([...others, second])).toEqual([key]);
  const bad = buildJournalEntry(key, { text: 'Nothing of use.' });
  expect(await gapsIn([...others, bad, second])).toEqual([]);
  // The accepted answer is gone, but calls that depend on it exist.
  expect(await gapsIn([...others, bad])).toEqual([second.key]);
});

test('an attempt whose conversation was too long with its corrections is no gap before the next sample', async () => {
  const key = buildKey('journey', 0, buildPersonaWorkflowId(RUN, PERSONA));
  const journey = entries.find((entry) => entry.key === key);
  const { maxRepairs } = settings.steps.journey;
  const bad = buildJournalEntry(key, { text: 'Nothing of use.' });
  const next = buildJournalEntry(key.replace('.a0', `.a${maxRepairs + 1}`), {
    text: journey?.answer.text ?? '',
  });
  expect(await gapsIn([...without(key), bad, next])).toEqual([]);
});

test('answers that a restart has superseded are not needed, and what it kept is', async () => {
  const from = { persona: PERSONA, session: 1, step: 'assistant' as const, turn: 2, revision: 1 };
  const superseded = buildKey('assistant', 2, buildDialogueId(RUN, PERSONA, 1));
  expect(await gapsIn(without(superseded), [from])).toEqual([]);
  const kept = buildKey('assistant', 1, buildDialogueId(RUN, PERSONA, 1));
  expect(await gapsIn(without(kept), [from])).toEqual([kept]);
});

function without(key: string): JournalEntry[] {
  return entries.filter((entry) => entry.key !== key);
}

async function gapsIn(
  some: readonly JournalEntry[],
  restarts: readonly Restart[] = [],
  templates: readonly PlannedPersona[] = [TEMPLATE],
): Promise<string[]> {
  const inputs = { id: RUN, settings, restarts: [...restarts] };
  const gaps = await findGaps({ inputs, templates }, PERSONA, BATCH, some);
  return gaps.map(({ key }) => key);
}
