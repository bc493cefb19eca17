import * as z from 'zod';
import { runLoaded } from './loaded-command';
import { readFilesBelow } from './refusal';

const bandSchema = z.object({ low: z.object({ calls: z.number() }) });
const estimateSchema = z.object({
  total: bandSchema,
  progress: z.object({ remaining: bandSchema }).optional(),
});

/** Returns the calls that a command has to make at least, by its `--estimate`, which writes nothing to this folder. */
export async function estimateCalls(folder: string, command: readonly string[]): Promise<number> {
  const before = readFilesBelow(folder);
  const ended = await runLoaded([...command, '--estimate', '--json']);
  expect(ended).toMatchObject({ code: 0 });
  expect(readFilesBelow(folder)).toEqual(before);
  const { total, progress } = estimateSchema.parse(JSON.parse(ended.stdout));
  return (progress?.remaining ?? total).low.calls;
}
