import {
  findExceededLimit,
  findFileLimit,
  listLowLimits,
  MachineLimit,
  type Limits,
} from '../../../../data/store/machine-limits';

const GB = 2 ** 30;
const GUARDS = { memory: true };
const NO_GUARDS = { memory: false };

test.each<[string, Limits, typeof GUARDS, string[]]>([
  ['no limit', {}, GUARDS, []],
  ['8 GB of address space', { addressSpaceBytes: 8 * GB }, GUARDS, ['Address space']],
  ['32 GB of address space', { addressSpaceBytes: 32 * GB }, GUARDS, ['Address space']],
  ['8 GB of address space without guards', { addressSpaceBytes: 8 * GB }, NO_GUARDS, []],
  ['1 GB of address space without guards', { addressSpaceBytes: GB }, NO_GUARDS, ['Address space']],
  ['files of 2 MB', { fileSizeBytes: 2 ** 21 }, GUARDS, ['File size']],
  ['files of 16 MB', { fileSizeBytes: 2 ** 24 }, GUARDS, []],
  ['200 open files', { openFiles: 200 }, GUARDS, ['Open files']],
  ['256 open files', { openFiles: 256 }, GUARDS, []],
  ['200 processes', { processes: { most: 200, now: 10 } }, GUARDS, []],
  ['200 processes, most of which exist', { processes: { most: 200, now: 190 } }, GUARDS, ['Processes']],
  ['several', { fileSizeBytes: 1, openFiles: 1 }, GUARDS, ['File size', 'Open files']],
])('%s', (_, limits, { memory }, expected) => {
  expect(listLowLimits(limits, memory).map(({ name }) => name)).toEqual(expected);
});

test('a limit names what it is, what is needed and the command that raises it', () => {
  const [low] = listLowLimits({ fileSizeBytes: 2 ** 21 });
  expect(low).toEqual({
    name: 'File size',
    detail: "limited to 2 MB (ulimit -f), but the Temporal server's database needs 16 MB in a small run",
    remedy: 'Remove the limit, and repeat the command: ulimit -f unlimited',
  });
});

test.each<[string, Error, string | undefined]>([
  ['too many open files', createSystemError('EMFILE', 'open'), 'ulimit -n'],
  ['no further process', createSystemError('EAGAIN', 'spawn node'), 'ulimit -u'],
  ['a file at its limit', createSystemError('EFBIG', 'write'), 'ulimit -f'],
  ['a descriptor without data', createSystemError('EAGAIN', 'read'), undefined],
  ['no further thread', createSystemError('ERR_WORKER_INIT_FAILED', ''), 'ulimit -u'],
  ['no memory for WebAssembly', new RangeError('WebAssembly.Instance(): Out of memory: …'), 'ulimit -v'],
  ['a known limit', new MachineLimit('see ulimit -n'), 'ulimit -n'],
  ['a trap in WebAssembly', new Error('unreachable'), undefined],
])('%s', (_, error, remedy) => {
  const message = findExceededLimit(error)?.message;
  if (remedy === undefined) expect(message).toBeUndefined();
  else expect(message).toContain(remedy);
});

test('a database that cannot be written names the limit of file size, if there is one', () => {
  expect(findFileLimit('The database', { fileSizeBytes: 2 ** 24 })?.message).toBe(
    'The database cannot be written. Files are limited to 16 MB (ulimit -f). No answer is lost. Remove the limit, and repeat the command: ulimit -f unlimited',
  );
  expect(findFileLimit('The database', {})).toBeUndefined();
});

function createSystemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}

test.each([
  [16, true, true],
  [4, true, false],
  [4, false, false],
])(
  'with %d GB of address space and guards %j, an option is advised: %j',
  (gigabytes, hasGuards, isAdvised) => {
    const [low] = listLowLimits({ addressSpaceBytes: gigabytes * 2 ** 30 }, hasGuards);
    expect(low?.remedy.includes('--disable-wasm-trap-handler')).toBe(isAdvised);
  },
);
