import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { buildEvaluationActivities } from '../../../../activities';
import type { RunEvent } from '../../../../activities/run-events';
import type { EvaluationWork } from '../../../../workflows/evaluation/evaluation';
import { driveEvaluation, type DrivenEvaluation } from '../../../../runs/evaluate/drive';
import { writeDataSet } from '../../../../runs/evaluate/data-state';
import { planEvaluation, readEvaluationPrompts } from '../../../../runs/evaluate/plan';
import { readStoredEvaluation, readTrialRows } from '../../../../runs/evaluate/outcomes';
import { planStudies } from '../../../../runs/evaluate/studies';
import type { StudyRequest } from '../../../../runs/evaluate/studies/study';
import { INSTANCE_COLUMNS } from '../../../../data/tables/columns';
import { writeEvaluationPlan } from '../../../../data/run/evaluation-plan';
import { openData } from '../../../../data/sets/open';
import { writeParquet } from '../../../../data/tables/parquet';
import { createFolderStore, type Store } from '../../../../data/store/store';
import type { Model } from '../../../../models/model';
import type { Cell, EvaluationRow } from '../../../../schemas/evaluation/evaluation';
import {
  evaluationSettingsSchema,
  type EvaluationInputs,
} from '../../../../schemas/evaluation/evaluation-run';
import type { Instance } from '../../../../schemas/dataset/instance';
import { readEvaluationFiles } from '../../../../workers/world';
import { EMBEDDED } from '../../../../schemas/run/engine';
import { createWorld, startHost } from '../synthesis/in-process';

/** An evaluation on a real server with real workers in this process; only the models are the test's own. */
export interface InProcessEvaluation extends AsyncDisposable {
  readonly client: Client;
  readonly id: string;
  readonly inputs: EvaluationInputs;
  readonly store: Store;
  readonly events: RunEvent[];
  /** Drives the trials, or continues with them, like a command. */
  readonly drive: (concurrency?: number) => Promise<DrivenEvaluation>;
  /** Draws the studies' work from the outcomes of the trials, and drives it. */
  readonly driveStudies: () => Promise<DrivenEvaluation>;
  /** Returns the current rows of the results. */
  readonly rows: () => Promise<EvaluationRow[]>;
}

/** Prepares an evaluation in this process; nothing is called before it is driven. */
export async function startEvaluation(options: {
  readonly instances: readonly Instance[];
  readonly cells: readonly Cell[];
  readonly studies?: StudyRequest;
  readonly model: (spec: string) => Model;
  readonly concurrency?: number;
  /** Dynamic configuration of the server. */
  readonly dynamic?: Readonly<Record<string, string>>;
}): Promise<InProcessEvaluation> {
  const folder = await mkdtemp(join(tmpdir(), 'cupid-in-process-'));
  const data = join(folder, 'data.parquet');
  await writeParquet(data, INSTANCE_COLUMNS, options.instances);
  const dataSet = await openData(data, { report: () => undefined, environment: {} });
  const wanted = {
    settings: evaluationSettingsSchema.parse({}),
    cells: options.cells,
    studies: options.studies ?? {},
    prompts: await readEvaluationPrompts(undefined),
  };
  const store = createFolderStore(join(folder, 'store'));
  const source = { dataSet, checklists: new Map(), onRead: () => undefined };
  const plan = planEvaluation(wanted, dataSet, await writeDataSet(store, source));
  await writeEvaluationPlan(store, plan);
  const { inputs } = plan;
  const files = await readEvaluationFiles(store);
  const inFlight = options.concurrency ?? 16;
  const { world, events } = createWorld(files, inFlight, options.model);
  const host = await startHost({
    id: inputs.id,
    folder,
    gate: world.gate,
    concurrency: inFlight,
    activities: buildEvaluationActivities(world),
    dynamic: options.dynamic,
    engine: EMBEDDED,
  });
  const driven: DrivenEvaluation[] = [];
  const drive = async (todo: EvaluationWork, most = inFlight) => {
    const one = await driveEvaluation(host.engine, inputs, todo, most);
    driven.push(one);
    return one;
  };
  return {
    client: host.client,
    id: inputs.id,
    inputs,
    store,
    events,
    drive: (concurrency) => drive({ phase: 'trials', cells: options.cells, onlyStored: false }, concurrency),
    async driveStudies() {
      const kinds = await planStudies(await readStoredEvaluation(store), wanted.studies);
      return drive({ phase: 'studies', kinds });
    },
    async rows() {
      const rows: EvaluationRow[] = [];
      for await (const { results } of readTrialRows(await readStoredEvaluation(store))) {
        rows.push(...results.map(({ row }) => row));
      }
      return rows;
    },
    async [Symbol.asyncDispose]() {
      for (const one of driven) await one[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
