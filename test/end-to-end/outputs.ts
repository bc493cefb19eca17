import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { instanceSchema, type Instance } from '../../schemas/dataset/instance';
import { provenanceSchema, type Provenance } from '../../schemas/dataset/provenance';
import { personaRecordSchema, type PersonaRecord } from '../../schemas/dataset/record';
import { runFileSchema, type RunFile } from '../../schemas/run/run';
import { readRows } from './tables';

export function readRunFile(run: string): RunFile {
  return runFileSchema.parse(JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')));
}

export async function readInstances(run: string): Promise<Instance[]> {
  return readRows(instanceSchema, join(run, 'CUPID-Unverified', 'test.arrow'));
}

export async function readRecords(run: string): Promise<PersonaRecord[]> {
  return readRows(recordRowSchema, join(run, 'CUPID-Raw', 'test.parquet'));
}

/** Drops the null of an absent resource. */
const recordRowSchema = z.preprocess(
  (row) => JSON.parse(JSON.stringify(row, (_, value: unknown) => value ?? undefined)) as unknown,
  personaRecordSchema,
);

export async function readProvenance(run: string): Promise<Provenance[]> {
  return readRows(provenanceSchema, join(run, 'provenance.parquet'));
}

/** Returns the number that a persona's id begins with. */
export function parsePersonaNumber(personaId: string): number {
  return Number.parseInt(personaId, 10);
}
