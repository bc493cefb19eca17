import { execFileSync } from 'node:child_process';

/**
 * Describes the source of a build: the Git commit and its date, or the day of the build without a commit.
 * @param directory root of the source
 */
export function describeSource(directory: string, today: Date): string {
  try {
    // The source was unpacked inside another project, whose commit says nothing about it.
    if (runGit(directory, 'rev-parse', '--show-prefix') !== '') return describeDay(today);
    const [commit, date] = runGit(directory, 'log', '-1', '--abbrev=12', '--format=%h %cs').split(' ');
    const changes = runGit(directory, 'status', '--porcelain') === '' ? '' : ' with uncommitted changes';
    return `commit ${commit}${changes}, ${date}`;
  } catch {
    // No Git, no repository, or a repository without a commit.
    return describeDay(today);
  }
}

function runGit(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function describeDay(day: Date): string {
  return `commit unknown, built on ${day.toISOString().slice(0, 10)}`;
}
