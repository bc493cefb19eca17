import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm/node';
import * as z from 'zod';
import { instanceSchema, type Instance } from '../../schemas/dataset/instance';
import { provenanceSchema, type Provenance } from '../../schemas/dataset/provenance';
import { personaRecordSchema, type PersonaRecord } from '../../schemas/dataset/record';
import { runFileSchema, type RunFile } from '../../schemas/run/run';

export function readRunFile(run: string): RunFile {
  return runFileSchema.parse(JSON.parse(readFileSync(join(run, 'run.json'), 'utf8')));
}

export async function readInstances(run: string): Promise<Instance[]> {
  return readRows(instanceSchema, join(run, 'CUPID-Unverified', 'test.arrow'));
}

export async function readRecords(run: string): Promise<PersonaRecord[]> {
  return readRows(personaRecordSchema, join(run, 'CUPID-Raw', 'test.parquet'));
}

export async function readProvenance(run: string): Promise<Provenance[]> {
  return readRows(provenanceSchema, join(run, 'provenance.parquet'));
}

/** Returns the number that a persona's id begins with. */
export function parsePersonaNumber(personaId: string): number {
  return Number.parseInt(personaId, 10);
}

async function readRows<Row>(schema: z.ZodType<Row>, file: string): Promise<Row[]> {
  const bytes = await readFile(file);
  const table = tableFromIPC(file.endsWith('.arrow') ? bytes : readParquet(bytes).intoIPCStream());
  return z.array(schema).parse(JSON.parse(JSON.stringify(table.toArray(), simplify)));
}

/** Converts 64-bit whole numbers to numbers, and drops the null of an absent resource. */
function simplify(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? undefined);
}
