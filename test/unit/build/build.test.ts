import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

test('the first npx in a clone, which prepares the package once more, builds nothing and cannot fail', () => {
  const mtimeMs = () => statSync(join(ROOT, 'dist', 'build.cjs'), { throwIfNoEntry: false })?.mtimeMs;
  const before = mtimeMs();
  const { status, stderr } = spawnSync(process.execPath, ['build/build.mjs'], {
    cwd: ROOT,
    env: { ...process.env, npm_command: 'exec' },
    encoding: 'utf8',
  });
  expect({ status, stderr, mtimeMs: mtimeMs() }).toEqual({ status: 0, stderr: '', mtimeMs: before });
});
