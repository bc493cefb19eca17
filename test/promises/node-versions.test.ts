import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildBareEnvironment, COMMAND } from '../end-to-end/command';
import { needing, getPart } from '../parts/needing';
import { getNode, NODE_VERSIONS } from '../parts/nodes';
import { createTemporaryFolder } from '../temporary-folder';

const { describe } = needing('nodes');
const folder = createTemporaryFolder();
const SIMULATED = 'simulated:default';
const SMALL = ['--n-personas=1', '--n-sessions=9', '--max-turns=2'];

describe.each(NODE_VERSIONS)('on Node.js %s', (version) => {
  test('commands do their work, and V8 and Node.js print nothing', async () => {
    const out = join(folder, version, 'out');
    const results = join(folder, version, 'results');
    const commands = [
      [['--help'], 'Usage: cupid'],
      [['synth', '--output-dir', out, '--model', SIMULATED, ...SMALL], '3 instances, no failures'],
      [
        ['eval', '--results-dir', results, '--data', out, '--task=choice', '--model', SIMULATED],
        'Choice: accuracy',
      ],
      [['validate', out], 'no errors'],
    ] as const;
    for (const [args, expected] of commands) {
      const { stdout, stderr } = await promisify(execFile)(
        getNode(getPart('nodes'), version),
        [COMMAND, ...args],
        { env: buildBareEnvironment() },
      );
      expect(stdout).toContain(expected);
      expect(stderr).not.toMatch(/^Error: |unrecognized flag|Warning: /m);
    }
  });
});
