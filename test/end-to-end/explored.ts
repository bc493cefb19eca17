import { join } from 'node:path';
import { runLoaded } from './loaded-command';

/** Some of its answers are malformed, so that there are repairs to see. */
const MODEL = 'simulated:default?malformed=0.1';
const OTHER = 'simulated:default?malformed=0.02';
export const PLAIN = 'simulated:default';

/** Makes a verified run and an evaluation of two models on it, to be explored, in this directory. */
export async function makeExplored(
  folder: string,
): Promise<{ readonly out: string; readonly results: string }> {
  const [out, results] = [join(folder, 'out'), join(folder, 'results')];
  const models = ['--model', MODEL, '--model', OTHER];
  for (const args of [
    ['synth', '--output-dir', out, '--n-personas=2', '--model', MODEL],
    ['eval', '--results-dir', results, '--data', out, '--task=both', ...models, '--evaluator', PLAIN],
    ['verify', out, '--model', PLAIN],
  ]) {
    const { code, stderr } = await runLoaded(args);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  }
  return { out, results };
}
