import { readFileSync, readdirSync, statSync } from 'node:fs';
import { formatNumber } from '../../schemas/text/count-text';
import { getErrorCode } from './system-error';

/** A limit of this machine, or of the shell, stops a command. Nothing is wrong with its input. The message has the remedy. */
export class MachineLimit extends Error {
  override readonly name = 'MachineLimit';
}

/** Limits of this process, as the shell's `ulimit` set them; absent where there is none, or it is unknown. */
export interface Limits {
  /** Bytes of virtual memory that it may reserve. */
  readonly addressSpaceBytes?: number;
  readonly fileSizeBytes?: number;
  readonly openFiles?: number;
  /** Processes and threads of this user that may exist, and those that do. */
  readonly processes?: { readonly most: number; readonly now: number };
}

/** A limit that is too low, and its remedy. */
interface LowLimit {
  /** Name in a list, as of `cupid doctor`. */
  readonly name: string;
  readonly detail: string;
  readonly remedy: string;
}

/**
 * Lists the limits under which a run fails.
 * @param hasGuards whether WebAssembly reserves 10 GB around each memory, to find errors by hardware
 */
export function listLowLimits(limits: Limits, hasGuards = reservesGuards()): LowLimit[] {
  const { addressSpaceBytes = Infinity, fileSizeBytes = Infinity, openFiles = Infinity, processes } = limits;
  const low: LowLimit[] = [];
  if (addressSpaceBytes < (hasGuards ? GUARDED_BYTES : UNGUARDED_BYTES)) {
    low.push({
      name: 'Address space',
      detail: `limited to ${formatGigabytes(addressSpaceBytes)} (ulimit -v), but ${hasGuards ? 'the readers of Parquet and HTTP reserve more' : `a run reserves up to ${formatGigabytes(UNGUARDED_BYTES)}`}`,
      remedy: findAddressSpaceRemedy(limits, hasGuards),
    });
  }
  if (fileSizeBytes < FILE_BYTES) {
    low.push({
      name: 'File size',
      detail: `limited to ${formatMegabytes(fileSizeBytes)} (ulimit -f), but the Temporal server's database needs ${formatMegabytes(FILE_BYTES)} in a small run`,
      remedy: FILE_REMEDY,
    });
  }
  if (openFiles < OPEN_FILES) {
    low.push({
      name: 'Open files',
      detail: `limited to ${openFiles} (ulimit -n), but a command opens up to ${OPEN_FILES}`,
      remedy: OPEN_FILES_REMEDY,
    });
  }
  if (processes !== undefined && processes.most - processes.now < PROCESSES) {
    low.push({
      name: 'Processes',
      detail: `limited to ${processes.most} of this user, threads included (ulimit -u), and ${processes.now} exist, but a run starts up to ${PROCESSES}`,
      remedy: PROCESSES_REMEDY,
    });
  }
  return low;
}

/** @throws MachineLimit when a limit is too low for a run */
export function requireLimits(): void {
  const [low] = listLowLimits(readLimits());
  if (low === undefined) return;
  throw new MachineLimit(`A limit of this shell is too low. ${low.name}: ${low.detail}. ${low.remedy}`);
}

/** Measured on Node.js 20 to 26: below this, V8 itself or a thread ends the process while a run starts, with or without guards. */
const UNGUARDED_BYTES = 8_000_000 * 2 ** 10;
const GUARDED_BYTES = 64 * 2 ** 30;
/** Measured: SQLite's log grows to 4.3 MB before it is written into the database, in a run of 4 personas as in one of 40. */
const FILE_BYTES = 16 * 2 ** 20;
/** Modules are opened side by side at the start, a hundred at once. */
const OPEN_FILES = 256;
/** A run with its server has some forty threads. */
const PROCESSES = 64;

/** Returns the limit that an error of the system or of WebAssembly reports; undefined for every other error. */
export function findExceededLimit(error: unknown): MachineLimit | undefined {
  if (error instanceof MachineLimit) return error;
  if (!(error instanceof Error)) return undefined;
  const code = getErrorCode(error) ?? '';
  const create = (problem: string, remedy: string) =>
    new MachineLimit(`${problem} (${error.message}). ${remedy}`, { cause: error });
  if (code === 'EMFILE') return create('Too many files are open', OPEN_FILES_REMEDY);
  const isSpawn = code === 'EAGAIN' && 'syscall' in error && String(error.syscall).startsWith('spawn');
  if (isSpawn || code === 'ERR_WORKER_INIT_FAILED')
    return create('No further process or thread can be started', PROCESSES_REMEDY);
  if (code === 'EFBIG') return create('A file cannot grow beyond the limit of this shell', FILE_REMEDY);
  if (/\bWebAssembly\b.*\bmemory\b/i.test(error.message))
    return create(
      'WebAssembly, which reads Parquet and HTTP, cannot reserve memory',
      findAddressSpaceRemedy(),
    );
  return undefined;
}

/**
 * Returns the limit of file size, which a database that cannot be written has probably reached; undefined without one.
 * @param database name of the database, at the beginning of a sentence
 */
export function findFileLimit(database: string, { fileSizeBytes } = readLimits()): MachineLimit | undefined {
  if (fileSizeBytes === undefined) return undefined;
  return new MachineLimit(
    `${database} cannot be written. Files are limited to ${formatMegabytes(fileSizeBytes)} (ulimit -f). No answer is lost. ${FILE_REMEDY}`,
  );
}

const FLAG = '--disable-wasm-trap-handler';

/** Advises the option only where it is absent and would help. */
function findAddressSpaceRemedy(
  { addressSpaceBytes = Infinity } = readLimits(),
  hasGuards = reservesGuards(),
) {
  return hasGuards && addressSpaceBytes >= UNGUARDED_BYTES
    ? `Remove the limit (ulimit -v unlimited), or repeat the command after: export NODE_OPTIONS=${FLAG}`
    : 'Remove the limit, and repeat the command: ulimit -v unlimited';
}

const FILE_REMEDY = 'Remove the limit, and repeat the command: ulimit -f unlimited';
const OPEN_FILES_REMEDY = 'Raise the limit, and repeat the command: ulimit -n 4096';
const PROCESSES_REMEDY =
  'End other programs, or raise the limit, and repeat the command: ulimit -u unlimited';

function formatGigabytes(bytes: number): string {
  return `${formatNumber(Number((bytes / 2 ** 30).toPrecision(2)))} GB`;
}

function formatMegabytes(bytes: number): string {
  return `${formatNumber(Number((bytes / 2 ** 20).toPrecision(2)))} MB`;
}

function reservesGuards(): boolean {
  const options = [...process.execArgv, ...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/)];
  return !options.includes(FLAG);
}

/** Reads the limits from Linux; they are unknown elsewhere. */
export function readLimits(): Limits {
  let text: string;
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return {};
  }
  const read = (name: string): number | undefined => {
    const soft = new RegExp(`^${name} +(\\d+)`, 'm').exec(text)?.[1];
    return soft === undefined ? undefined : Number(soft);
  };
  const addressSpaceBytes = read('Max address space');
  const fileSizeBytes = read('Max file size');
  const openFiles = read('Max open files');
  const processes = read('Max processes');
  return {
    ...(addressSpaceBytes === undefined ? {} : { addressSpaceBytes }),
    ...(fileSizeBytes === undefined ? {} : { fileSizeBytes }),
    ...(openFiles === undefined ? {} : { openFiles }),
    // Root has no such limit. Counting takes a while, and a usual limit is never reached.
    ...(processes === undefined || processes > USUAL_PROCESSES || process.getuid?.() === 0
      ? {}
      : { processes: { most: processes, now: countThreads() } }),
  };
}

const USUAL_PROCESSES = 4096;

/** Counts the threads of this user. */
function countThreads(): number {
  let count = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (statSync(`/proc/${name}`).uid === process.getuid?.())
        count += readdirSync(`/proc/${name}/task`).length;
    } catch {
      // It has ended.
    }
  }
  return count;
}
