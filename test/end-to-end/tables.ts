import { readFile } from 'node:fs/promises';
import { tableFromIPC } from 'apache-arrow';
import { readParquet } from 'parquet-wasm/node';
import * as z from 'zod';

/** Reads the rows of a Parquet or Arrow file with the libraries alone. */
export async function readRows<Row>(schema: z.ZodType<Row>, file: string): Promise<Row[]> {
  const bytes = await readFile(file);
  const table = tableFromIPC(file.endsWith('.arrow') ? bytes : readParquet(bytes).intoIPCStream());
  return z.array(schema).parse(JSON.parse(JSON.stringify(table.toArray(), convertInteger)));
}

/** Converts 64-bit integers to numbers. */
function convertInteger(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
