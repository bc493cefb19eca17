import { join } from 'node:path';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore, type Store } from '../../../../data/store/store';
import { AnswersReader } from '../../../../runs/synthesize/read-answers';
import { USER_SECTIONS } from '../../../../rules/dialogue/messages';
import type { Restart } from '../../../../schemas/run/restart';
import { synthesisSettingsSchema } from '../../../../schemas/run/settings';
import { buildJournalEntry } from '../../../journal-entry';
import { createTemporaryFolder } from '../../../temporary-folder';

const MODEL = 'simulated:default';
const settings = synthesisSettingsSchema.parse({
  nPersonas: 1,
  nSessions: 9,
  maxTurns: 6,
  stallTurns: 2,
  models: { synthesis: MODEL, user: MODEL, assistant: MODEL },
});

const folder = createTemporaryFolder();
let count = 0;

/** Writes an answer of the user with this score, which selects item 1. */
function reply(score: number): string {
  const own: Partial<Record<string, string>> = {
    'Evaluation Score': String(score),
    'Continue or End?': score === 10 ? 'END' : 'CONTINUE',
    'Selected Checklist Items': '1',
  };
  return USER_SECTIONS.map((section) => `#### ${section}\n\n${own[section] ?? 'Well.'}`).join('\n\n');
}

/** Builds the attempts of a dialogue with these scores, then further answers of the assistant. */
function simulate(session: number, scores: readonly number[], further = 0): Record<string, string> {
  const length = scores.length + further;
  return Object.fromEntries([
    ...scores.map((score, at) => [`/p1/s${session}#r0.user.t${at + 1}.a0`, reply(score)]),
    ...Array.from({ length }, (_, at) => [`/p1/s${session}#r0.assistant.t${at + 1}.a0`, 'Yes.']),
  ]);
}

/** Reads a run with these answers twice. Returns its persona's progress, and the answers read each time. */
async function read(
  texts: Readonly<Record<string, string>>,
  {
    restarts = [],
    isKept = false,
  }: { readonly restarts?: readonly Restart[]; readonly isKept?: boolean } = {},
) {
  const store = createFolderStore(join(folder, String((count += 1))));
  const journal = openJournal(store);
  for (const [key, text] of Object.entries(texts))
    await journal.append(buildJournalEntry(`r${key}`, { text }));
  if (isKept) await store.write('records/0000001.json', '{}');
  const names: string[] = [];
  const counting: Store = {
    ...store,
    read: async (name) => {
      if (name.startsWith('journal/'))
        names.push(
          name.replace(/^.*%2F(?<session>s\d)\/r0\.user\.(?<turn>t\d)\.a\d\.json$/, '$<session> $<turn>'),
        );
      return store.read(name);
    },
  };
  const reader = new AnswersReader({ id: 'r', settings, restarts: [...restarts] }, counting);
  const { personas, descriptions } = await reader.read();
  const first = names.splice(0).toSorted();
  expect(await reader.read()).toEqual({ personas, descriptions });
  return { persona: personas.get(1), descriptions, first, second: names };
}

const PLAN = {
  '/p1#r0.factors.t0.a0': '',
  '/p1#r0.journey.t0.a0': '',
  '/p1#r0.checklist.t1.a0': '',
  '/p1#r0.checklist.t2.a0': '',
};

test('the plan of a persona is counted by its keys', async () => {
  const { persona, descriptions, first } = await read({
    '#r0.describe.t1.a0': '',
    '#r0.describe.t1.a1': '',
    ...PLAN,
  });
  expect(persona).toEqual({ closed: false, factors: true, journeyParts: 1, checklists: 2, dialogues: [] });
  expect({ descriptions, first }).toEqual({ descriptions: 1, first: [] });
});

test.each<
  [string, Record<string, string>, { assistant: number; user: number; ended: boolean }, readonly string[]]
>([
  ['has begun', simulate(1, [], 1), { assistant: 1, user: 0, ended: false }, []],
  ['goes on after its last reply', simulate(1, [4, 5]), { assistant: 2, user: 2, ended: false }, ['s1 t2']],
  ['satisfied its user', simulate(1, [4, 10]), { assistant: 2, user: 2, ended: true }, ['s1 t2']],
  ['waits for its user', simulate(1, [4, 5], 1), { assistant: 3, user: 2, ended: false }, []],
  [
    'has reached the limit',
    simulate(1, [4, 5, 6, 7, 8], 1),
    { assistant: 6, user: 5, ended: true },
    ['s1 t1', 's1 t2', 's1 t3', 's1 t4', 's1 t5'],
  ],
  [
    'has stalled',
    simulate(1, [4, 4, 4], 1),
    { assistant: 4, user: 3, ended: true },
    ['s1 t1', 's1 t2', 's1 t3'],
  ],
  [
    'has not stalled',
    simulate(1, [4, 4, 5], 1),
    { assistant: 4, user: 3, ended: false },
    ['s1 t1', 's1 t2', 's1 t3'],
  ],
])('a dialogue that %s', async (_, texts, expected, names) => {
  const { persona, first, second } = await read({ ...PLAN, ...texts });
  expect(persona?.dialogues).toEqual([expected]);
  expect({ first, second }).toEqual({ first: names, second: [] });
});

test('a reply that is asked for again is read by its last attempt', async () => {
  const repaired = { '/p1/s1#r0.user.t1.a0': 'Nothing.', '/p1/s1#r0.user.t1.a1': reply(10) };
  const { persona } = await read({ ...PLAN, ...simulate(1, [], 1), ...repaired });
  expect(persona?.dialogues).toEqual([{ assistant: 1, user: 1, ended: true }]);
});

test('answers that a restart has superseded do not count', async () => {
  const restarts = [{ persona: 1, session: 1, step: 'assistant' as const, turn: 2, revision: 1 }];
  const { persona } = await read({ ...PLAN, ...simulate(1, [4, 5, 10]), ...simulate(2, [10]) }, { restarts });
  expect(persona?.dialogues).toEqual([
    { assistant: 1, user: 1, ended: false },
    { assistant: 1, user: 1, ended: true },
  ]);
});

test('no answer of a persona is read whose record is kept', async () => {
  const { persona, first } = await read(
    { ...PLAN, ...simulate(1, [4, 10]), ...simulate(2, [4, 4, 4], 1) },
    { isKept: true },
  );
  expect(persona).toMatchObject({
    closed: true,
    dialogues: [
      { assistant: 2, user: 2, ended: true },
      { assistant: 4, user: 3, ended: true },
    ],
  });
  expect(first).toEqual([]);
});
