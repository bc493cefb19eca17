import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import type { WorkflowCode } from '../../../workers/replay/replay';

const ROOT = join(__dirname, '..', '..', '..');

/** The workflows with one file changed, as the next version of the program might bring them. */
export async function buildChangedWorkflows(
  scratch: string,
  file: string,
  change: (source: string) => string,
): Promise<WorkflowCode> {
  const copy = mkdtempSync(join(scratch, 'workflows-'));
  for (const directory of ['workflows', 'rules', 'engine', 'schemas']) {
    cpSync(join(ROOT, directory), join(copy, directory), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const changed = join(copy, 'workflows', file);
  const source = readFileSync(changed, 'utf8');
  if (change(source) === source) throw new Error(`The change to ${file} changes nothing.`);
  writeFileSync(changed, change(source));
  return bundleWorkflowCode({
    workflowsPath: join(copy, 'workflows', 'index.ts'),
    workflowInterceptorModules: [join(copy, 'workflows', 'stamp-interceptors.ts')],
    logger: new DefaultLogger('ERROR'),
  });
}
