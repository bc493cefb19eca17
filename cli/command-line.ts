import { parsePurpose, type RunPurpose } from '../runs/folder/run-id';
import { quoteArgument, quotePath } from '../schemas/text/shell-text';

/** Formats the current command line with further options, quoted so that the user can paste it. */
export function formatThisCommand(...options: readonly string[]): string {
  return ['cupid', ...[...process.argv.slice(2), ...options].map(quoteArgument)].join(' ');
}

/** Formats the current command line with this value of an option, in place of the one that it has. */
export function formatThisCommandWith(flag: string, value: string): string {
  const args = process.argv.slice(2).filter((arg, at, all) => {
    const isValue = all[at - 1] === flag;
    return arg !== flag && !isValue && !arg.startsWith(`${flag}=`);
  });
  return ['cupid', ...args.map(quoteArgument), flag, value].join(' ');
}

/** Formats the current command line without an option that takes no value. */
export function formatThisCommandWithout(flag: string): string {
  const args = process.argv.slice(2).filter((arg) => arg !== flag);
  return ['cupid', ...args.map(quoteArgument)].join(' ');
}

/** Formats the command that continues the run with this id, without its options. */
export function formatCommandOf(run: string): string {
  return `cupid ${COMMANDS[parsePurpose(run) ?? 'synthesis']}`;
}

/**
 * Describes how a run that no command drives is continued. Its command alone would pause it again at once while the cause of a pause remains.
 * @param run.name its folder or id, as the user names it
 * @param options further options of its command
 */
export function describeContinuation(
  run: { readonly id: string; readonly name: string },
  pausedBy: 'user' | 'budget' | undefined,
  ...options: readonly string[]
): string {
  const all = [...options, ...(pausedBy === 'budget' ? ['a higher --budget'] : [])];
  const command = `its ${formatCommandOf(run.id)} command${all.length === 0 ? '' : ` with ${all.join(' and ')}`}`;
  if (pausedBy === 'budget') return `Its budget is spent: repeat ${command} to continue.`;
  if (pausedBy === 'user')
    return `It stays paused. To continue, end the pause: cupid resume ${quotePath(run.name)}. Then repeat ${command}.`;
  return `Repeat ${command} to continue.`;
}

/** Describes how a finished run is continued, by adding to it or by repairing a part. */
export function describeExtension({ id, name }: { readonly id: string; readonly name: string }): string {
  const addition = ADDITIONS[parsePurpose(id) ?? 'synthesis'];
  return `repeat its ${formatCommandOf(id)} command with ${addition}, or repair a part with cupid retry ${quotePath(name)}`;
}

const ADDITIONS: Readonly<Record<RunPurpose, string>> = {
  synthesis: 'a larger --n-personas',
  evaluation: 'other models, contexts or tasks',
  verification: 'a larger --sample',
};

const COMMANDS: Readonly<Record<RunPurpose, string>> = {
  synthesis: 'synth',
  evaluation: 'eval',
  verification: 'verify',
};
