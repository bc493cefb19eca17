import { findGaps } from '../../../../runs/plan/journal-gaps';
import { buildDialogueId, buildPersonaWorkflowId } from '../../../../engine/journal/key';
import type { JournalEntry } from '../../../../schemas/run/journal';
import type { Restart } from '../../../../schemas/run/restart';
import { buildKey, createEntry, PERSONA, recordPersona, RUN, settings } from './recorded-persona';

const BATCH = { first: PERSONA, count: 1 };
const SEEDS = { origin: 'built-in' as const, source: 'built-in', count: 1, hash: '' };

let entries: JournalEntry[];

beforeAll(async () => {
  entries = await recordPersona();
  expect(entries.length).toBeGreaterThan(30);
});

test('a whole chain has no gap, and one that was cut off at any moment has none', () => {
  expect(gapsIn(entries)).toEqual([]);
  for (let length = 0; length < entries.length; length += 1) {
    expect(gapsIn(entries.slice(0, length))).toEqual([]);
  }
});

test('of a persona whose description was given, none is missing', () => {
  const given = { id: RUN, settings, seeds: { ...SEEDS, origin: 'personas' as const }, restarts: [] };
  const described = buildKey('describe', PERSONA, RUN);
  expect(gapsIn(without(described))).toEqual([described]);
  expect(findGaps(given, PERSONA, BATCH, without(described))).toEqual([]);
});

test('any answer that is missing is a gap when others were built on it, and none when not', () => {
  const last = new Set(
    [...new Map(entries.map(({ key }) => [key.slice(0, key.indexOf('#')), key]))]
      .filter(([workflow]) => workflow.includes('/s'))
      .map(([, key]) => key),
  );
  expect(last.size).toBe(8);
  for (const { key } of entries) {
    expect(gapsIn(without(key))).toEqual(last.has(key) ? [] : [key]);
  }
});

test('a bad answer that is missing before the one that counts is a gap, too', () => {
  const key = buildKey('journey', 0, buildPersonaWorkflowId(RUN, PERSONA));
  const journey = entries.find((entry) => entry.key === key);
  const second = createEntry(key.replace('.a0', '.a1'), journey?.answer.text ?? '');
  const others = entries.filter((entry) => entry !== journey);
  expect(gapsIn([...others, second])).toEqual([key]);
  const bad = createEntry(key, 'Nothing of use.');
  expect(gapsIn([...others, bad, second])).toEqual([]);
  // The answer that counts is gone, and what was built on it is not.
  expect(gapsIn([...others, bad])).toEqual([second.key]);
});

test('answers that a restart has superseded are not needed, and what it kept is', () => {
  const from = { persona: PERSONA, session: 1, step: 'assistant' as const, turn: 2, generation: 1 };
  const superseded = buildKey('assistant', 2, buildDialogueId(RUN, PERSONA, 1));
  expect(gapsIn(without(superseded), [from])).toEqual([]);
  const kept = buildKey('assistant', 1, buildDialogueId(RUN, PERSONA, 1));
  expect(gapsIn(without(kept), [from])).toEqual([kept]);
});

function without(key: string): JournalEntry[] {
  return entries.filter((entry) => entry.key !== key);
}

function gapsIn(some: readonly JournalEntry[], restarts: readonly Restart[] = []): string[] {
  return findGaps({ id: RUN, settings, seeds: SEEDS, restarts: [...restarts] }, PERSONA, BATCH, some).map(
    ({ key }) => key,
  );
}
