import { z } from 'zod';
import type { Model } from '../../../models/model';
import { findGaps } from '../../../journal/gaps';
import { buildDialogueId, buildJournalKey, buildPersonaWorkflowId } from '../../../journal/key';
import type { JournalEntry } from '../../../schemas/run/journal';
import type { Restart } from '../../../schemas/run/restart';
import { synthesisSettingsSchema } from '../../../schemas/run/settings';
import { STEPS, type Step } from '../../../schemas/run/step';
import { askDialogue, openSimulated, synthesizePersona } from '../models/simulated/persona';

const RUN = 'cupid-1a2b3c4d';
const PERSONA = 7;
const MODEL = 'simulated:default';
const BATCH = { first: PERSONA, count: 1 };
const inputs = {
  id: RUN,
  settings: synthesisSettingsSchema.parse({
    nPersonas: 9,
    nSessions: 9,
    maxTurns: 3,
    seed: 42,
    models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
  }),
};

/** Everything that a persona was answered, in the order it was asked for. */
let entries: JournalEntry[];

beforeAll(async () => {
  entries = [];
  let workflowId = RUN;
  const turns = new Map<string, number>();
  const simulated = openSimulated();
  const recording: Model = {
    async ask(request, signal) {
      const answer = await simulated.ask(request, signal);
      const step = z.enum(STEPS).parse(request.step);
      const isNumbered = step === 'checklist' || step === 'assistant' || step === 'user';
      const place = `${workflowId} ${step}`;
      turns.set(place, (turns.get(place) ?? 0) + 1);
      const turn = step === 'describe' ? PERSONA : isNumbered ? (turns.get(place) ?? 0) : 0;
      entries.push(entryOf(keyOf(step, turn, step === 'describe' ? RUN : workflowId), answer.text));
      workflowId = step === 'describe' ? buildPersonaWorkflowId(RUN, PERSONA) : workflowId;
      return answer;
    },
  };
  const { description, journey, checklists } = await synthesizePersona(recording, PERSONA, 8, 9);
  for (const session of journey.sessions.slice(0, -1)) {
    workflowId = buildDialogueId(RUN, PERSONA, session.id);
    const checklist = checklists.get(session.preference) ?? [];
    await askDialogue(recording, { description, session, checklist, maxTurns: 3 });
  }
  expect(entries.length).toBeGreaterThan(30);
});

test('a whole chain has no gap, and one that was cut off at any moment has none', () => {
  expect(gapsIn(entries)).toEqual([]);
  for (let length = 0; length < entries.length; length += 1) {
    expect(gapsIn(entries.slice(0, length))).toEqual([]);
  }
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
  const key = keyOf('journey', 0, buildPersonaWorkflowId(RUN, PERSONA));
  const journey = entries.find((entry) => entry.key === key);
  const second = entryOf(key.replace('.a0', '.a1'), journey?.answer.text ?? '');
  const others = entries.filter((entry) => entry !== journey);
  expect(gapsIn([...others, second])).toEqual([key]);
  const bad = entryOf(key, 'Nothing of use.');
  expect(gapsIn([...others, bad, second])).toEqual([]);
  // The answer that counts is gone, and what was built on it is not.
  expect(gapsIn([...others, bad])).toEqual([second.key]);
});

test('answers that a restart has superseded are not needed, and what it kept is', () => {
  const from = { persona: PERSONA, session: 1, step: 'assistant' as const, turn: 2, generation: 1 };
  const superseded = keyOf('assistant', 2, buildDialogueId(RUN, PERSONA, 1));
  expect(gapsIn(without(superseded), [from])).toEqual([]);
  const kept = keyOf('assistant', 1, buildDialogueId(RUN, PERSONA, 1));
  expect(gapsIn(without(kept), [from])).toEqual([kept]);
});

function without(key: string): JournalEntry[] {
  return entries.filter((entry) => entry.key !== key);
}

function gapsIn(some: readonly JournalEntry[], restarts: readonly Restart[] = []): string[] {
  return findGaps({ ...inputs, restarts: [...restarts] }, PERSONA, BATCH, some).map(({ key }) => key);
}

function keyOf(step: Step, turn: number, workflowId: string): string {
  return buildJournalKey({ workflowId, generation: 0, step, turn, ask: 0 });
}

function entryOf(key: string, text: string): JournalEntry {
  return {
    key,
    request: '',
    settings: '',
    spec: MODEL,
    answer: { text, finish: 'complete', model: 'm', usage: {} },
    milliseconds: 1,
  };
}
