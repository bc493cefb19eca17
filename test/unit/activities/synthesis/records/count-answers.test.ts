import { countBadAnswers } from '../../../../../activities/synthesis/records/count-answers';
import { buildDialogueId, buildPersonaWorkflowId } from '../../../../../engine/journal/key';
import type { JournalEntry } from '../../../../../schemas/run/journal';
import type { Quality } from '../../../../../schemas/run/settings';
import {
  buildKey,
  createEntry,
  PERSONA,
  recordPersona,
  RUN,
  settings,
} from '../../../engine/journal/recorded-persona';

/** What the run asked for the persona, without the description: that belongs to its batch. */
let entries: JournalEntry[];

beforeAll(async () => {
  entries = (await recordPersona()).slice(1);
});

const count = (answers: readonly JournalEntry[], quality: Quality = 'strict') =>
  countBadAnswers({ id: RUN, settings: { ...settings, quality } }, PERSONA, answers);

test('of a persona whose every first answer was usable none was bad', () => {
  expect(count(entries)).toBe(0);
});

test('of a question with more than ten attempts all but one were bad', () => {
  const key = buildKey('factors', 0, buildPersonaWorkflowId(RUN, PERSONA));
  const others = entries.filter((entry) => entry.key !== key);
  const bad = Array.from({ length: 12 }, (_, ask) => createEntry(key.replace('.a0', `.a${ask}`), 'Nothing.'));
  const good = entries
    .filter((entry) => entry.key === key)
    .map((entry) => ({ ...entry, key: key.replace('.a0', '.a12') }));
  expect(count([...others, ...bad, ...good])).toBe(12);
});

test('an answer that was left behind by a restart was no bad one', () => {
  const dialogue = buildDialogueId(RUN, PERSONA, 1);
  const again = entries
    .filter(({ key }) => key.startsWith(`${dialogue}#`))
    .map((entry) => ({ ...entry, key: entry.key.replace('#g0', '#g1') }));
  expect(count([...entries, ...again])).toBe(0);
});

test('a turn that only the strict rules reject is bad under them alone, by what stood before it in its revision', () => {
  const [last] = entries.filter(({ answer }) => /^END$/m.test(answer.text)).slice(-1);
  if (last === undefined) throw new Error('no dialogue ended');
  const text = last.answer.text.replace(/ Satisfied$/m, ' Dissatisfied');
  const rejected = createEntry(last.key.replace('#g0', '#g1'), text);
  expect(count([...entries, rejected], 'reference')).toBe(0);
  expect(count([...entries, rejected])).toBe(1);
});
