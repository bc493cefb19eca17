import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MockActivityEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode } from '@temporalio/worker';
import { z } from 'zod';
import { keepFailure } from '../../activities/synthesis/keep-failure';
import { failedPersonas } from '../../data/artifacts';
import { bundleName, keptBundle, readBundle } from '../../data/bundles';
import type { Bundle, RecordedEvent } from '../../schemas/bundle';
import type { FailedWork } from '../../schemas/outcome';
import { replay, type WorkflowCode } from '../../workers/replay';
import { FailingDialogue } from './failing-dialogue';
import { guardedWorld, startRun, type InProcess } from './in-process';

jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..');
const DIST = join(ROOT, 'dist');
const CODE: WorkflowCode = { codePath: join(DIST, 'workers', 'workflows.bundle.js') };
const SECRET = 'sk-that-nobody-may-see';

const model = new FailingDialogue();
let folder: string;
let started: InProcess;
let failed: FailedWork;
let bundle: Bundle;
let bundleFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupid-replay-'));
  started = await startRun({ nPersonas: 1, maxTurns: 4, model });
  expect(await started.run.result()).toMatchObject({ finished: 0, failed: 1 });
  const [work] = (await failedPersonas(started.files.store)).flat();
  if (work === undefined) throw new Error('No dialogue failed.');
  failed = work;
  bundleFile = join(folder, 'moved.bundle.json');
  await started.files.store.fetch(bundleName(failed), bundleFile);
  bundle = (await readBundle(bundleFile)) ?? Promise.reject(new Error('There is no bundle.'));
});

afterAll(async () => {
  await started[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
