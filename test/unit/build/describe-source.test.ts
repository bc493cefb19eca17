import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSource } from '../../../build/describe-source';
import { createTemporaryFolder } from '../../temporary-folder';

const TODAY = new Date('2026-03-04T05:06:07Z');
const folder = createTemporaryFolder();

test('names the day of the build outside of a repository', () => {
  const source = join(folder, 'unpacked');
  mkdirSync(source);
  expect(describeSource(source, TODAY)).toBe('commit unknown, built on 2026-03-04');
});

test('names commit and date, changes that are not committed, and no commit of another project', () => {
  const source = join(folder, 'repository');
  mkdirSync(source);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: source,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], GIT_COMMITTER_DATE: '2026-01-02T12:00:00Z', HOME: folder },
    });
  git('init', '--quiet');
  expect(describeSource(source, TODAY)).toBe('commit unknown, built on 2026-03-04');
  git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '--message=Begin');
  const commit = git('rev-parse', 'HEAD').slice(0, 12);
  expect(describeSource(source, TODAY)).toBe(`commit ${commit}, 2026-01-02`);

  const unpacked = join(source, 'unpacked');
  mkdirSync(unpacked);
  writeFileSync(join(unpacked, 'package.json'), '{}');
  expect(describeSource(unpacked, TODAY)).toBe('commit unknown, built on 2026-03-04');
  expect(describeSource(source, TODAY)).toBe(`commit ${commit} with uncommitted changes, 2026-01-02`);
});
