import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';

/** Reads what Python gave, a case a line. */
export function readGolden<Case>(name: string, schema: z.ZodType<Case>): Case[] {
  const lines = readFileSync(join(__dirname, name), 'utf8').trimEnd().split('\n');
  return lines.map((line) => schema.parse(JSON.parse(line)));
}
