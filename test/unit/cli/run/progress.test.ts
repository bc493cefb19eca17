import { createProgressView, type Status } from '../../../../cli/run/progress';
import type { RunEvent } from '../../../../activities/run-events';
import type { WorkReading } from '../../../../engine/costs/time-left';
import type { LedgerRow } from '../../../../schemas/run/ledger';
import { buildJournalEntry } from '../../../journal-entry';

const STATUS: Status = { summary: '1 of 4 personas done, 0 failed, 3 in progress', inProgress: [] };

const CALL = { spec: 'simulated:default', step: 'user' } as const;

const LINE = {
  event: 'sent',
  ...CALL,
  call: 1,
  key: 'a-key',
  sentAtMs: 1,
  estimate: { input: 1, output: 1 },
} as const;

const ROW: LedgerRow = {
  ...CALL,
  calls: 1,
  badAnswers: 0,
  refusals: 0,
  input: 1_000,
  output: 10,
  uncountedCalls: 0,
  lostCalls: 0,
  assumedTokens: { input: 0, output: 0 },
  failures: {},
  durationMs: 1,
};

const SENT: Extract<RunEvent, { type: 'sent' }> = {
  type: 'sent',
  id: 'a-worker/1',
  line: LINE,
  request: { temperature: 1, maxTokens: 1, seed: 1 },
};

const ANSWER: RunEvent = {
  type: 'answered',
  id: 'a-worker/1',
  line: LINE,
  row: ROW,
  entry: buildJournalEntry('a-key'),
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('without a terminal', () => {
  test('a line says how far the run is, what is in progress, how fast it goes and how long it will take', () => {
    const { lines, view } = linesOf();
    const inProgress = [2, 3, 4].map((persona) => `persona ${persona}: 1 of 12 dialogues done, 14 turns`);
    for (let second = 0; second <= 20; second += 1) {
      for (let call = 0; call < 4; call += 1) for (const event of [SENT, ANSWER]) view.observe(event);
      view.update({
        ...STATUS,
        inProgress,
        work: calls(100 + 4 * second, 800 - 4 * second, 4 * (second + 1)),
      });
      jest.advanceTimersByTime(1_000);
    }
    expect(lines.at(-1)).toMatch(
      /^about 3 min left; 1 of 4 personas done, 0 failed, 3 in progress; 2\d\d calls\/min, 76 calls, 76\.0 ktok in, 760 tok out, 0 bad answers; persona 2: 1 of 12 dialogues done, 14 turns; persona 3: .*; persona 4: [^;]*$/,
    );
  });

  test('no more is shown of what is in progress than a line has room for', () => {
    const { lines, view } = linesOf();
    const inProgress = Array.from({ length: 20 }, (_, at) => `persona ${at + 1}: journey`);
    view.update({ ...STATUS, inProgress });
    expect(lines).toEqual([expect.stringMatching(/persona 4: journey; and 16 more$/)]);
  });

  test('a run that stands still says why in place of its pace, once until something changes', () => {
    const { lines, view, seconds } = watched();
    seconds(1);
    expect(lines).toEqual([expect.stringMatching(/^time left not known yet; 1 of 4/)]);
    view.stands('paused');
    seconds(600);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^paused; 1 of 4/m)]);
    view.stands('budget used up');
    seconds(600);
    expect(lines.slice(2)).toEqual([expect.stringMatching(/^budget used up; 1 of 4/m)]);
  });

  test('a memory system that does not reply is in the line, since when, until it does', () => {
    const { lines, view, seconds } = watched();
    const message = { kind: 'add', sinceMs: performance.now() } as const;
    seconds(70);
    view.observe({ type: 'silent', name: 'memory:m.py', message });
    seconds(10);
    expect(lines.at(-1)).toMatch(
      /^time left not known yet, memory:m\.py has not replied to add for over 60 s; 1 of 4/m,
    );
    view.observe({ type: 'silent', name: 'memory:m.py' });
    seconds(10);
    expect(lines.at(-1)).toMatch(/^time left not known yet; 1 of 4/m);
  });

  test('a run that only waits for a model keeps saying so', () => {
    const { lines, seconds } = watched();
    seconds(300);
    expect(lines.length).toBeGreaterThan(3);
  });
});

describe('the time left', () => {
  test('follows from the calls of the last minute: an hour of waiting before, or a pause, does not count', () => {
    const { lines, view, seconds } = watched();
    seconds(3_600, () => ({ work: calls(10, 600) }));
    seconds(30, (second) => ({ work: calls(10 + 2 * second, 600 - 2 * second) }));
    view.stands('paused');
    seconds(3_600, () => ({ work: calls(68, 542) }));
    view.stands(undefined);
    seconds(30, (second) => ({ work: calls(68 + 2 * second, 542 - 2 * second) }));
    // About 490 calls, two a second.
    expect(lines.at(-1)).toMatch(/^about 5 min left; /);
  });

  test('leaves out the time in which the process was stopped', () => {
    const { lines, view, seconds } = watched();
    const readClock = performance.now.bind(performance);
    let stoppedMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => readClock() + stoppedMs);
    const work = (from: number, to: number) => {
      for (let second = from; second <= to; second += 1) {
        for (const event of [SENT, ANSWER]) view.observe(event);
        seconds(1, () => ({ work: { of: 'calls', done: second, left: 40, counted: second } }));
      }
    };
    for (let call = 0; call < 8; call += 1) view.observe(SENT);
    work(1, 30);
    stoppedMs = 600_000;
    work(31, 42);
    clock.mockRestore();
    expect(lines.at(-1)).toMatch(/^about (3[5-9]|4[0-5]) s left; /);
  });

  test('starts again with another phase', () => {
    const { lines, seconds } = watched();
    seconds(30, (second) => ({ phase: 'trials', work: calls(second, 30 - second) }));
    seconds(6, () => ({ phase: 'studies', work: { of: 'studies', done: 0, left: 100 } }));
    expect(lines.at(-1)).toContain('time left not known yet');
  });
});

test('no time is shown while the results are written', () => {
  const { lines, seconds } = watched();
  seconds(1, () => ({ summary: '4 of 4 personas done, 0 failed, writing the data sets', writing: true }));
  expect(lines).toEqual([
    '4 of 4 personas done, 0 failed, writing the data sets; 0 calls, 0 tok in, 0 tok out, 0 bad answers',
  ]);
});

test('calls are those of the run; the earlier ones are named', () => {
  const { lines, view, seconds } = watched();
  view.countEarlier([{ ...ROW, calls: 252, badAnswers: 2 }]);
  for (let call = 0; call < 33; call += 1) for (const event of [SENT, ANSWER]) view.observe(event);
  seconds(1);
  expect(lines).toEqual([expect.stringContaining('285 calls (252 before this command), 34.0 ktok in')]);
  expect(view.totals()).toMatchObject({ calls: 285, earlierCalls: 252, badAnswers: 2 });
});

test('calls that wait much longer than others of their step are named once, again after five minutes, and so are later ones', () => {
  const { lines, view, seconds } = watched();
  for (let call = 0; call < 20; call += 1) for (const event of [SENT, ANSWER]) view.observe(event);
  for (const id of ['a-worker/2', 'a-worker/3']) view.observe({ ...SENT, id });
  seconds(600);
  for (const id of ['a-worker/2', 'a-worker/3'])
    view.observe({ ...SENT, type: 'failed', id, kind: 'timeout' });
  seconds(1);
  view.observe({ ...SENT, id: 'a-worker/4' });
  seconds(60);
  const others =
    '20 others took a median of 0.0 s, at most 0.0 s. Other calls continue. A call that times out is sent again.';
  expect(lines.filter((line) => line.includes('waited'))).toEqual([
    `2 user calls to simulated:default have waited for over 30 s; ${others}`,
    `2 user calls to simulated:default have waited for over 5 min; ${others}`,
    `1 user call to simulated:default has waited for over 30 s; ${others}`,
  ]);
});

test('calls whose answers wait for the storage are not named as slow', () => {
  const { lines, view, seconds } = watched();
  for (let call = 0; call < 20; call += 1) for (const event of [SENT, ANSWER]) view.observe(event);
  for (const id of ['a-worker/2', 'a-worker/3']) view.observe({ ...SENT, id });
  view.observe({ type: 'delayed', cause: 'store', message: 'ECONNREFUSED' });
  seconds(300);
  expect(lines.filter((line) => line.includes('waited'))).toEqual([]);
});

describe('on a terminal', () => {
  test('what is shown is drawn over itself, wrapped to the width, and taken off for a line that stays', () => {
    const { written, view } = terminal(40);
    const inProgress = ['persona 2: journey', 'persona 3: context factors'];
    view.update({ ...STATUS, inProgress });
    const first = [
      'time left not known yet;',
      '    1 of 4 personas done,',
      '    0 failed, 3 in progress',
      '0 calls, 0 tok in, 0 tok',
      '    out, 0 bad answers',
      '  persona 2: journey',
      '  persona 3: context factors',
    ];
    expect(screenOf(written())).toEqual(first);
    view.update({ ...STATUS, summary: '2 of 4 personas done', inProgress: ['persona 4: journey'] });
    const second = [
      'time left not known yet;',
      '    2 of 4 personas done',
      ...first.slice(3, 5),
      '  persona 4: journey',
    ];
    expect(screenOf(written())).toEqual(second);
    view.say('A line that stays.');
    expect(screenOf(written())).toEqual(['A line that stays.', ...second]);
    view.hide();
    expect(screenOf(written())).toEqual(['A line that stays.']);
  });

  test('once a command is being stopped, nothing counts on', () => {
    const { written, view } = terminal(80);
    view.update(STATUS);
    view.end();
    view.say('Stopping.');
    view.update(STATUS);
    expect(screenOf(written())).toEqual(['Stopping.']);
  });

  test('what the terminal wrote itself, such as ^C, is drawn over', () => {
    const { written, view, output } = terminal(80);
    view.update(STATUS);
    output.write('^C');
    view.say('Stopping.');
    expect(screenOf(written())).toEqual([
      'Stopping.',
      `time left not known yet; ${STATUS.summary}`,
      expect.stringContaining('0 calls'),
    ]);
  });
});

function calls(done: number, left: number, counted = 0): WorkReading {
  return { of: 'calls', done, left, counted };
}

/** Creates a view without a terminal, and returns the lines that it writes. */
function linesOf() {
  const lines: string[] = [];
  const view = createProgressView(
    { write: (text) => lines.push(String(text).trimEnd()) > 0, isTTY: false, columns: 80 },
    false,
  );
  // The first line appears once there was time for one.
  jest.advanceTimersByTime(10_000);
  return { lines, view };
}

/** Creates the same view, refreshed every second. */
function watched() {
  const { lines, view } = linesOf();
  return {
    lines,
    view,
    seconds: (count: number, change: (second: number) => Partial<Status> = () => ({})) => {
      for (let second = 0; second < count; second += 1) {
        view.update({ ...STATUS, ...change(second) });
        jest.advanceTimersByTime(1_000);
      }
    },
  };
}

function terminal(columns: number) {
  let written = '';
  const output = {
    write: (text: string | Uint8Array) => (written += String(text)) !== '',
    isTTY: true,
    columns,
  };
  return { view: createProgressView(output, false), written: () => written, output };
}

/** Returns the screen of a terminal after this text. It knows only the commands to go up some rows and to erase from there on. */
function screenOf(text: string): string[] {
  const rows = [''];
  for (const part of text.replaceAll('\u001B', '␛').split(/(\r|\n|␛\[\d*[AJ])/)) {
    const up = /^␛\[(\d+)A$/.exec(part)?.[1];
    if (up !== undefined) rows.splice(rows.length - 1 - Number(up), Infinity, '');
    else if (part === '\n') rows.push('');
    else if (part === '\r') rows.splice(-1, 1, '');
    else if (!part.startsWith('␛')) rows.push(`${rows.pop() ?? ''}${part}`);
  }
  expect(rows.pop()).toBe('');
  return rows;
}
