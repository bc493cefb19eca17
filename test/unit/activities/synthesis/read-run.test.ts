import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SynthesisFiles } from '../../../../activities/synthesis/inputs';
import { readAssistant, readPersona } from '../../../../activities/synthesis/read-run';
import { planRun, readRunRequest } from '../../../../runs/plan/inputs';
import { writePlan } from '../../../../data/run/inputs';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import { buildRefKey } from '../../../../engine/journal/key';
import { buildDialogueId } from '../../../../engine/journal/key';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { readSynthesisFiles } from '../../../../workers/world';

const MODEL = 'simulated:default';
const REF = '0.0';

let folder: string;
let run: SynthesisFiles;
/** What was read from the store, in order. */
let read: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cupid-read-run-'));
  read = [];
  const onDisk = createFolderStore(folder);
  const store = {
    ...onDisk,
    read: (name: string) => {
      read.push(name);
      return onDisk.read(name);
    },
  };
  const models = { synthesis: MODEL, user: MODEL, assistant: MODEL };
  const settings = synthesisSettingsSchema.parse({ nPersonas: 40, models });
  await writePlan(store, await planRun(await readRunRequest(settings, {})));
  run = await readSynthesisFiles(store, { codeVersion: 'test', scratch: join(folder, 'scratch') });
});

afterEach(() => rm(folder, { recursive: true }));

/** Keeps an answer as another process does: this one has yet to read it. */
async function answer(key: string, text: string): Promise<void> {
  await openJournal(run.store).append({
    key,
    request: 'r',
    settings: '',
    spec: MODEL,
    answer: { text, finish: 'complete', model: 'm', usage: {} },
    milliseconds: 1,
  });
}

/** How many answers were read from the store since this was asked last. */
function readFromStore(): number {
  return read.splice(0).filter((name) => name.startsWith('journal/')).length;
}

/** Answers of one kind, each of a persona of its own, and together more than is kept of the kind. */
const KINDS = {
  'assistant turns': {
    length: 1_000_000,
    most: 8,
    keep: (persona: number, text: string) =>
      answer(buildRefKey(buildDialogueId(run.id, persona, 1), 'assistant', 1, REF), text),
    read: (persona: number) => readAssistant(run, { persona, session: 1 }, 1, REF),
  },
  // The run's own workflow is asked for them all.
  descriptions: {
    length: 100_000,
    most: 5,
    keep: (persona: number, text: string) =>
      answer(
        buildRefKey(run.id, 'describe', persona, REF),
        JSON.stringify({ personas: [{ description: text, occupation: 'o' }] }),
      ),
    read: (persona: number) =>
      readPersona(run, { run: run.id, persona, described: { first: persona, count: 1, ref: REF } }),
  },
};

test.each(Object.entries(KINDS))(
  'what is kept parsed of %s is bounded by its characters, whoever keeps the records: what was not read for longest is read again',
  async (_, kind) => {
    const text = 'x'.repeat(kind.length);
    for (let persona = 1; persona <= kind.most; persona += 1) await kind.keep(persona, text);
    // Each is a little longer than its text: the first does not fit any more once all were read.
    for (let persona = 1; persona < kind.most; persona += 1) await kind.read(persona);
    expect(readFromStore()).toBe(kind.most - 1);
    await kind.read(1);
    expect(readFromStore()).toBe(0);
    await kind.read(kind.most);
    await kind.read(1);
    expect(readFromStore()).toBe(1);
    await kind.read(2);
    expect(readFromStore()).toBe(1);
  },
);
