import { dirname } from 'node:path';
import { type InstanceType, buildInstanceKey } from '../../schemas/dataset/instance-type';
import { provenanceSchema, type Provenance } from '../../schemas/dataset/provenance';
import { readParsedRows } from '../readers/parquet-table';
import { describeTable } from '../readers/table';

export interface Origin {
  /** Model that wrote its persona, factors and sessions, as `provider:model`. */
  readonly synthesizer: string;
  /** True when any model of its run was simulated. */
  readonly simulated: boolean;
}

interface ProvenanceRow {
  /** From 1. */
  readonly number: number;
  readonly persona: string;
  readonly type: InstanceType;
  readonly origin: Origin;
}

/**
 * Returns whether a `provenance.parquet` has the columns of ours. Others use this name for files of their own.
 * @throws DataError when it cannot be read
 */
export async function hasProvenanceColumns(path: string): Promise<boolean> {
  const { columns } = await describeTable({ path, name: path, within: dirname(path) });
  const names = new Set(columns.map(({ name }) => name));
  return Object.keys(originSchema.shape).every((name) => names.has(name));
}

/**
 * Reads a `provenance.parquet`: the origin of each instance, keyed by `persona_id\u0000instance_type`.
 * @throws DataError when it cannot be read, or a row is invalid
 */
export async function readProvenance(path: string): Promise<Map<string, Origin>> {
  const origins = new Map<string, Origin>();
  for await (const { persona, type, origin } of readProvenanceRows(path)) {
    origins.set(buildInstanceKey({ persona_id: persona, instance_type: type }), origin);
  }
  return origins;
}

/**
 * Reads the key and the origin in each row of a `provenance.parquet`.
 * @throws DataError when it cannot be read, or a row is invalid
 */
export async function* readProvenanceRows(path: string): AsyncGenerator<ProvenanceRow> {
  for await (const { number, row } of readParsedRows(path, originSchema, FIX)) {
    const { persona_id: persona, instance_type: type, synthesis_model: synthesizer, simulated } = row;
    yield { number, persona, type, origin: { synthesizer, simulated } };
  }
}

/**
 * Reads the complete rows of a `provenance.parquet`.
 * @throws DataError when it cannot be read, or a row is invalid
 */
export async function* readWholeProvenance(path: string): AsyncGenerator<Provenance> {
  for await (const { row } of readParsedRows(path, provenanceSchema, FIX)) yield row;
}

const FIX = 'Remove the file to work without provenance, or use the one that was written with the data set.';

const originSchema = provenanceSchema.pick({
  persona_id: true,
  instance_type: true,
  synthesis_model: true,
  simulated: true,
});
