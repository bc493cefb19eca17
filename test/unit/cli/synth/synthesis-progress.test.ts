import { EventEmitter, once } from 'node:events';
import { createSynthesisProgressReader } from '../../../../cli/synth/synthesis-progress';
import type { RunProgress } from '../../../../workflows/messages';
import { NO_ANSWERS, type PersonaProgress, type RunAnswers } from '../../../../engine/costs/run-answers';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const PLANNED: PersonaProgress = {
  closed: false,
  factors: true,
  journeyParts: 1,
  checklists: 9,
  dialogues: [],
};

const BEGUN: RunAnswers = {
  descriptions: 1,
  personas: new Map([[1, { ...PLANNED, dialogues: [{ assistant: 1, user: 0, ended: false }] }]]),
};

test('every open persona is shown with what is asked of it, as the journal has it: also what an earlier command did', async () => {
  const dialogues = [
    { assistant: 3, user: 3, ended: true },
    { assistant: 2, user: 1, ended: false },
  ];
  const personas = new Map<number, PersonaProgress>([
    [2, { ...PLANNED, dialogues }],
    [3, PLANNED],
    [4, { ...PLANNED, journeyParts: 0, checklists: 0 }],
    [5, { ...PLANNED, factors: false, journeyParts: 0, checklists: 0 }],
  ]);
  const status = await statusOf({ descriptions: 2, personas }, 250)(progress({ open: [2, 3, 4, 5, 6] }));
  expect(status).toEqual({
    phase: 'dialogues',
    summary: '1 of 9 personas done, 0 failed, 5 in progress',
    inProgress: [
      'persona 2: 1 of 12 dialogues done, 5 turns',
      'persona 3: checklists',
      'persona 4: journey',
      'persona 5: context factors',
      'persona 6: context factors',
    ],
    // Bad answers are calls, too.
    work: { of: 'calls', done: 2 + (2 + 9 + 9) + 11 + 1 + 3, left: 250, counted: 30 },
  });
});

test('the part of a long journey that is being planned is shown', async () => {
  const personas = new Map([[2, { ...PLANNED, journeyParts: 1, checklists: 0 }]]);
  const read = () =>
    Promise.resolve({ answers: { descriptions: 1, personas }, bad: 0, callsLeft: 9, counted: 0 });
  const status = createSynthesisProgressReader(read, 60, async () => '');
  expect((await status(progress({ open: [2] }))).inProgress).toEqual(['persona 2: journey, part 2 of 5']);
});

test('before and after the personas it says what is being done; how long the dialogues take is not known before one begins', async () => {
  const status = statusOf(NO_ANSWERS, 900);
  expect(await status(progress({ finished: 0 }))).toEqual({
    phase: 'planning',
    summary: '0 of 9 personas done, 0 failed, describing personas',
    inProgress: [],
  });
  expect(await status(progress({ finished: 8, failed: 1, building: true }))).toMatchObject({
    summary: '8 of 9 personas done, 1 failed, writing the data sets',
    writing: true,
  });
});

test('the folder is read every few seconds, and what cannot be read just now is left out', async () => {
  let reads = 0;
  const status = createSynthesisProgressReader(
    () => {
      reads += 1;
      return reads === 1
        ? Promise.reject(new Error('busy'))
        : Promise.resolve({ answers: BEGUN, bad: 0, callsLeft: 7, counted: 0 });
    },
    13,
    explain,
  );
  expect(await status(progress({ open: [1] }))).toEqual({
    phase: 'planning',
    summary: '1 of 9 personas done, 0 failed, 1 in progress',
    inProgress: ['persona 1: starting'],
  });
  await status(progress({}));
  expect(reads).toBe(1);
  jest.advanceTimersByTime(5_000);
  expect((await status(progress({}))).work).toMatchObject({ left: 7 });
  expect(reads).toBe(2);
});

test('a reading that takes long is not begun again meanwhile, and nobody waits for it', async () => {
  let reads = 0;
  const slow = new EventEmitter();
  const status = createSynthesisProgressReader(
    async () => {
      reads += 1;
      await once(slow, 'read');
      return { answers: BEGUN, bad: 0, callsLeft: 7, counted: 0 };
    },
    13,
    explain,
  );
  const first = status(progress({}));
  jest.advanceTimersByTime(60_000);
  expect(await status(progress({}))).not.toHaveProperty('work');
  expect(reads).toBe(1);
  slow.emit('read');
  expect((await first).work).toMatchObject({ left: 7 });
});

const explain = () => Promise.resolve('The key was rejected.');

function statusOf(answers: RunAnswers, callsLeft: number) {
  return createSynthesisProgressReader(
    () => Promise.resolve({ answers, bad: 3, callsLeft, counted: 30 }),
    13,
    explain,
  );
}

function progress(change: Partial<RunProgress>): RunProgress {
  return { personas: 9, finished: 1, failed: 0, open: [], building: false, ...change };
}
