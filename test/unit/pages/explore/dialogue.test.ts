import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal } from '../../../../data/run/journal';
import { createFolderStore } from '../../../../data/store/store';
import { buildDialogueId } from '../../../../engine/journal/key';
import type { AttemptView } from '../../../../pages/explore/answers';
import { readDialogue } from '../../../../pages/explore/dialogue';
import type { JournalEntry } from '../../../../schemas/run/journal';
import type { Restart } from '../../../../schemas/run/restart';
import { buildJournalEntry } from '../../../journal-entry';
import { createTemporaryFolder } from '../../../temporary-folder';
import { PERSONA, recordPersona, RUN, settings } from '../../engine/journal/recorded-persona';

const DIALOGUE = buildDialogueId(RUN, PERSONA, 1);
const folder = createTemporaryFolder();
let recorded: JournalEntry[];

beforeAll(async () => {
  recorded = await recordPersona();
  // The dialogue has at least two turns, so the first has a successor.
  expect(textOf('assistant.t2.a0')).not.toBe('');
});

const keyOf = (attempt: string, revision = 0) => `${DIALOGUE}#r${revision}.${attempt}`;
const textOf = (attempt: string) => recorded.find(({ key }) => key === keyOf(attempt))?.answer.text ?? '';

/** Reads the attempts of the dialogue, turn by turn: those of the recorded persona, with some removed or added. */
async function read(
  name: string,
  change: { readonly without?: readonly string[]; readonly others?: readonly JournalEntry[] },
  options: { readonly damaged?: string; readonly restarts?: readonly Restart[] } = {},
) {
  const root = join(folder, name);
  const store = createFolderStore(root);
  const journal = openJournal(store);
  const { without = [], others = [] } = change;
  const kept = recorded.filter(({ key }) => !without.some((attempt) => key === keyOf(attempt)));
  for (const entry of [...kept, ...others]) await journal.append(entry);
  if (options.damaged !== undefined) {
    const path = ['journal', encodeURIComponent(DIALOGUE), `r0.${options.damaged}.json`];
    await writeFile(join(root, ...path), '');
  }
  const inputs = { id: RUN, settings, restarts: [...(options.restarts ?? [])] };
  const { turns } = await readDialogue(store, { inputs, templates: [] }, { persona: PERSONA, session: 1 });
  return turns;
}

const verdictsOf = (attempts: readonly AttemptView[] = []) => attempts.map(({ verdict }) => verdict);

test('answers that count, with the scores of the user', async () => {
  const turns = await read('sound', {});
  expect(turns.map(({ turn }) => turn)).toEqual(turns.map((_, at) => at + 1));
  for (const { assistant, user } of turns) {
    expect(verdictsOf(assistant)).toEqual(['used']);
    for (const { verdict, score, decision } of user) {
      expect({ verdict, decision }).toEqual({ verdict: 'used', decision: score === 10 ? 'END' : 'CONTINUE' });
    }
  }
  expect(turns[0]?.assistant[0]?.text).toBe(textOf('assistant.t1.a0'));
});

test('a bad answer before the one that counts, with what was wrong', async () => {
  const others = [
    buildJournalEntry(keyOf('user.t1.a0'), { text: 'Nothing of use.' }),
    buildJournalEntry(keyOf('user.t1.a1'), { text: textOf('user.t1.a0') }),
  ];
  const [first, second] = await read('repaired', { without: ['user.t1.a0'], others });
  expect(verdictsOf(first?.user)).toEqual(['bad', 'used']);
  expect(first?.user[0]).toMatchObject({ problem: expect.stringContaining('section') });
  expect(first?.user[0]).not.toHaveProperty('score');
  expect(first?.user[1]).not.toHaveProperty('problem');
  expect(verdictsOf(second?.assistant)).toEqual(['used']);
});

test('answers that a retry has superseded, beside those of its revision', async () => {
  const restarts = [{ persona: PERSONA, session: 1, step: 'user' as const, turn: 1, revision: 1 }];
  const others = [
    buildJournalEntry(keyOf('user.t1.a0', 1), { text: 'Nothing of use.' }),
    buildJournalEntry(keyOf('user.t1.a1', 1), { text: textOf('user.t1.a0') }),
  ];
  const [first, second] = await read('superseded', { others }, { restarts });
  expect(verdictsOf(first?.assistant)).toEqual(['used']);
  expect(verdictsOf(first?.user)).toEqual(['superseded', 'bad', 'used']);
  expect(first?.user[0]?.score).toBe(first?.user[2]?.score);
  expect(verdictsOf(second?.assistant)).toEqual(['superseded']);
});

test('none counts of a call that failed, not even one in doubt', async () => {
  const text = textOf('user.t1.a0').replace(/CONTINUE|END/, (word) => (word === 'END' ? 'CONTINUE' : 'END'));
  const refusal = buildJournalEntry(keyOf('user.t1.a1'), { text: '' });
  const others = [
    buildJournalEntry(keyOf('user.t1.a0'), { text }),
    { ...refusal, answer: { ...refusal.answer, finish: 'refused' as const } },
  ];
  const [first] = await read('failed', { without: ['user.t1.a0'], others });
  expect(verdictsOf(first?.assistant)).toEqual(['used']);
  expect(verdictsOf(first?.user)).toEqual(['bad', 'bad']);
  expect(first?.user[1]?.problem).toContain('refused');
});

test.each(['assistant.t1.a0', 'user.t1.a0'])('what is left where %s is damaged', async (damaged) => {
  const turns = await read(`damaged-${damaged}`, {}, { damaged });
  const [first] = turns;
  const others = turns.slice(1).flatMap(({ assistant, user }) => [...assistant, ...user]);
  expect(verdictsOf([...(first?.assistant ?? []), ...(first?.user ?? [])])).toEqual(['used']);
  expect(others.length).toBeGreaterThan(0);
  expect(new Set(verdictsOf(others))).toEqual(new Set(['used']));
});
