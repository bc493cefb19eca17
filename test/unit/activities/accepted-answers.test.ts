import { openAcceptedAnswers } from '../../../activities/accepted-answers';
import { accept } from '../../../rules/answers/form/checks';
import { buildJournalEntry } from '../../journal-entry';

/** Characters of one answer: 16 answers with their keys slightly exceed the cache. */
const LENGTH = 1_000_000;

function openJournal() {
  const read: string[] = [];
  const find = async (key: string) => {
    read.push(key);
    return buildJournalEntry(key, { text: 'x'.repeat(LENGTH) });
  };
  return { read, journal: { get: find } };
}

test('parsed answers are bounded by their characters: what was not read for longest is read again', async () => {
  const { read, journal } = openJournal();
  const answers = openAcceptedAnswers({ journal }, 'run');
  const keys = Array.from({ length: 16 }, (_, number) => `run#r0.assistant.t${number}.a0`);
  for (const key of keys.slice(0, -1)) await answers.read(key, accept);
  await answers.read(keys[0] ?? '', accept);
  expect(read.splice(0)).toEqual(keys.slice(0, -1));
  await answers.read(keys[15] ?? '', accept);
  await answers.read(keys[0] ?? '', accept);
  await answers.read(keys[1] ?? '', accept);
  expect(read).toEqual([keys[15], keys[1]]);
});

test('an answer that this version rejects is an error that names the version to continue with', async () => {
  const answers = openAcceptedAnswers(openJournal(), 'evaluation');
  const reading = answers.read('run#r0.user.t1.a0', () => ({ ok: false, reason: 'no score' }));
  await expect(reading).rejects.toThrow('Continue the evaluation with the version that run.json names.');
});
