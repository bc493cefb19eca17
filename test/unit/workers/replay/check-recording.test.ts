import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, asyncProperty, nat, string } from 'fast-check';
import { BundleError, readBundle } from '../../../../data/run/bundles';
import { recordedHistorySchema, type Bundle, type RecordedEvent } from '../../../../schemas/run/bundle';
import { checkRecording, RecordingDamaged } from '../../../../workers/replay/check-recording';
import { changeEvents, changeJson, changes } from '../../../changed-json';
import { buildRecordedBundle, HISTORIES } from '../../../recorded-bundle';
import { createTemporaryFolder } from '../../../temporary-folder';

const recorded = readdirSync(HISTORIES).filter((file) => /^(run|persona)-.*\.json$/.test(file));
const dialogue = buildRecordedBundle('persona-finished.json', 3);
const folder = createTemporaryFolder();

test.each(recorded)('%s is sound', (file) => {
  expect(() => checkRecording(buildRecordedBundle(file))).not.toThrow();
});

test.each<[string, (events: RecordedEvent[]) => unknown, string]>([
  [
    'the first is missing',
    (events) => events.shift(),
    'event 1 of the history has the number "2" instead of "1"',
  ],
  ['one is missing', (events) => events.splice(8, 1), 'event 9 of the history has the number "10"'],
  [
    'only the first is there',
    (events) => events.splice(1),
    'the history ends at event 1, before the workflow ran',
  ],
  [
    'a number is none',
    (events) => (at(events, 4).eventId = 'zzz'),
    'event 4 of the history has the number "zzz"',
  ],
  [
    'a type is unknown',
    (events) => (at(events, 7).eventType = 'EVENT_TYPE_constructor'),
    'event 7 of the history has the type',
  ],
  [
    'a type is another',
    (events) => (at(events, 7).eventType = 'EVENT_TYPE_TIMER_FIRED'),
    'event 7 of the history does not have the fields of TIMER_FIRED',
  ],
  [
    'fields are missing',
    (events) => delete at(events, 7)['activityTaskCompletedEventAttributes'],
    'event 7 of the history does not have the fields',
  ],
  [
    'an answer is of no call',
    (events) => change(events, 7, '"scheduledEventId":"5"', '"scheduledEventId":"999"'),
    'event 7 of the history (ACTIVITY_TASK_COMPLETED) refers to event "999"',
  ],
  [
    'a value is no JSON',
    (events) => change(events, 7, /"data":"[^"]+"/, '"data":"%%%%"'),
    'event 7 of the history holds a value that is not JSON',
  ],
  [
    'a result is that of another activity',
    (events) => change(events, 7, /"data":"[^"]+"/, `"data":"${btoa('{"key":"k","ok":true,"value":"v"}')}"`),
    'event 7 of the history does not hold what planPersona returns',
  ],
  [
    'an answer is none',
    (events) =>
      change(events, 7, /"data":"[^"]+"/, `"data":"${btoa('{"factors":{"key":"k","ok":true,"value":{}}}')}"`),
    'event 7 of the history does not hold an answer of step factors',
  ],
  [
    'the input is none',
    (events) => change(events, 1, /"data":"[^"]+"/, '"data":"e30="'),
    'event 1 does not have the input of a persona',
  ],
  [
    'the workflow is another',
    (events) => change(events, 1, '"name":"persona"', '"name":"constructor"'),
    'event 1 does not start a persona',
  ],
  [
    'it goes on after its end',
    (events) => events.push({ ...at(events, 2), eventId: String(events.length + 1) }),
    'ends the workflow, but the history continues',
  ],
])('a history of which %s is damaged, at the event that is named', (_, damage, problem) => {
  const events = structuredClone(eventsOf(dialogue));
  damage(events);
  expect(() => checkRecording({ ...dialogue, history: { events } })).toThrow(RecordingDamaged);
  expect(() => checkRecording({ ...dialogue, history: { events } })).toThrow(problem);
});

test('an activity cannot end twice', () => {
  const events = structuredClone(eventsOf(dialogue));
  events.splice(7, 0, structuredClone(at(events, 7)));
  const numbered = events.map((event, index) => ({ ...event, eventId: String(index + 1) }));
  expect(() => checkRecording({ ...dialogue, history: { events: numbered.slice(0, 8) } })).toThrow(
    'event 8 of the history (ACTIVITY_TASK_COMPLETED) repeats event 7',
  );
});

const failed = { workflowId: '', persona: 1, kind: 'bad-answers', cause: '', reasons: [] };

test('the bundle of a failure whose history ends before it is damaged', () => {
  const history = { events: eventsOf(dialogue).slice(0, 9) };
  expect(() => checkRecording({ ...dialogue, history })).not.toThrow();
  expect(() => checkRecording({ ...dialogue, failed, history })).toThrow(
    'before the failure that the bundle is about',
  );
});

test("the bundle of a dialogue whose history is not its persona's is damaged", () => {
  expect(() => checkRecording({ ...dialogue, failed })).not.toThrow();
  const { persona } = dialogue.work;
  expect(() => checkRecording({ ...dialogue, work: { persona: 99, session: 3 } })).toThrow(
    `event 1 starts another workflow, ${dialogue.inputs.id}/p${persona}`,
  );
});

describe('a bundle is read or refused by name, never more', () => {
  const file = join(folder, 'changed.bundle.json');
  const read = async (text: string) => {
    writeFileSync(file, text);
    try {
      const bundle = await readBundle(file);
      if (bundle !== undefined) checkRecording(bundle);
    } catch (error) {
      expect(error instanceof BundleError || error instanceof RecordingDamaged).toBe(true);
    }
  };
  const text = JSON.stringify(dialogue);

  test('cut or overwritten anywhere', () =>
    assert(
      asyncProperty(nat(text.length), string({ unit: 'binary', maxLength: 20 }), async (place, put) => {
        await read(text.slice(0, place));
        await read(text.slice(0, place) + put + text.slice(place + put.length));
      }),
      { numRuns: 50 },
    ));

  test('with values dropped, repeated, swapped or replaced', () =>
    assert(
      asyncProperty(changes, async (by) => {
        await read(JSON.stringify(changeJson(dialogue, by) ?? null));
        await read(
          JSON.stringify({ ...dialogue, history: { events: changeEvents(eventsOf(dialogue), by) } }),
        );
      }),
    ));

  test('nested deeper than the stack', async () => {
    const deep = 200_000;
    await read(text.replace('"input":', `"input":${'['.repeat(deep)}${']'.repeat(deep)},"other":`));
    await read('['.repeat(deep));
  });
});

function eventsOf({ history }: Bundle): RecordedEvent[] {
  if (history === undefined) throw new Error('There is no history.');
  return history.events;
}

/** By its number. */
function at(events: readonly RecordedEvent[], number: number): RecordedEvent {
  const event = events[number - 1];
  if (event === undefined) throw new Error(`There is no event ${number}.`);
  return event;
}

function change(events: RecordedEvent[], number: number, from: string | RegExp, to: string): void {
  const text = JSON.stringify(at(events, number));
  expect(text.replace(from, to)).not.toBe(text);
  const changed = recordedHistorySchema.parse({ events: [JSON.parse(text.replace(from, to))] });
  events.splice(number - 1, 1, ...changed.events);
}
