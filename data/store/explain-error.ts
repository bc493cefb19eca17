import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { quotePath } from '../../schemas/text/shell-text';
import { findExceededLimit } from './machine-limits';
import { getErrorCode } from './system-error';

/**
 * Explains an error of the system that a user can fix, in a sentence with the remedy: a missing right, a limit of the shell, a library that
 * is too old. Returns undefined for every other error.
 */
export function explainError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = getErrorCode(error) ?? '';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (['EACCES', 'EPERM', 'EROFS'].includes(code) && path !== undefined) return explainDenial(path, code);
  if (code === 'ERR_DLOPEN_FAILED')
    return `A native part of cupid cannot be loaded (${error.message}). ${LIBRARY_REMEDY}`;
  if (code === 'ERR_SYSTEM_ERROR' && error.message.includes('homedir'))
    return 'This user has no home directory. Set HOME to a folder that you may write to.';
  return findExceededLimit(error)?.message;
}

/** Node.js itself needs it. The native parts need 2.18 at most, which Temporal's does (`objdump -T`). */
export const OLDEST_GLIBC = '2.28';

export const LIBRARY_REMEDY = `It needs glibc ${OLDEST_GLIBC} or newer, on x64 or arm64: not musl, so not Alpine Linux. Use another machine, or an image such as node:24-slim.`;

/** Names the directory or file that denies access, and its owner; in a run folder, also the command that allows it. */
function explainDenial(path: string, code: string): string {
  const { denying, stats, use } = findDenial(path);
  const cannot = `${denying} cannot be ${use === 'read' ? 'read' : 'written'} by this user (${code})`;
  if (code === 'EROFS')
    return `${cannot}: its file system is read-only. Mount it writable, or use another folder.`;
  const owner = stats?.uid;
  const isOwn = owner === process.getuid?.();
  const problem = isOwn || owner === undefined ? cannot : `${cannot}: it belongs to user ${owner}`;
  const run = RUN_FOLDER.exec(path)?.groups?.['run'];
  // A folder above a run has other files, which nobody should open to others for its sake.
  if (run === undefined || !`${denying}/`.startsWith(`${run}/`)) {
    return `${problem}. Use another folder, or ask its owner for access.`;
  }
  const command = `chmod -R ${isOwn ? 'u' : 'go'}+${use === 'read' ? 'rX' : 'rwX'} ${quotePath(denying)}`;
  return isOwn
    ? `${problem}. To fix this, run: ${command}`
    : `${problem}. Ask that user, or root, to run: ${command}`;
}

/** The beginning of a path into a run folder, whose files have these names. */
const RUN_FOLDER = /^(?<run>.+?)\/(?:\.cupid|CUPID-\w+|run\.json)(?:\/|$)/;

/** Finds what denies access to a path: a directory above it, the path itself, or the directory in which it would be made. */
function findDenial(path: string): {
  readonly denying: string;
  readonly stats: Stats | undefined;
  readonly use: 'read' | 'write';
} {
  const parent = dirname(path);
  if (parent !== path) {
    const parentDenial = findDenial(parent);
    if (
      parentDenial.use === 'read' &&
      parentDenial.stats !== undefined &&
      !canUse(parentDenial.denying, constants.X_OK)
    )
      return parentDenial;
  }
  const stats = statIfThere(path);
  if (stats === undefined) return { denying: parent, stats: statIfThere(parent), use: 'write' };
  const readable = constants.R_OK | (stats.isDirectory() ? constants.X_OK : 0);
  return { denying: path, stats, use: canUse(path, readable) ? 'write' : 'read' };
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function canUse(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
