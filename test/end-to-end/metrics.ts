import * as z from 'zod';
import type { Running } from './command';
import { untilSaid } from './processes';

/** A value that a process serves at `/metrics`. */
export interface Metric {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

/** Scrapes a command with `--telemetry` once its work is done: it ends then. */
export async function scrapeLast(running: Running): Promise<Metric[]> {
  await untilSaid(running, 'Waiting for a last scrape');
  return parseMetrics(await (await askEndpoint(running, '/metrics')).text());
}

/** Asks a command with `--telemetry`, at the address that it names. */
export async function askEndpoint(running: Running, path: string): Promise<Response> {
  await untilSaid(running, '/metrics');
  const [, url] = /Metrics: (\S+)\/metrics/.exec(running.stderr()) ?? [];
  try {
    return await fetch(`${url}${path}`);
  } catch (cause) {
    throw new Error(`The command does not answer; it said:\n${running.stderr()}`, { cause });
  }
}

/** Sums the values of a metric that have at least these labels. */
export function sumMetric(metrics: readonly Metric[], name: string, labels: Labels = {}): number {
  return metrics
    .filter(
      (one) => one.name === name && Object.entries(labels).every(([key, text]) => one.labels[key] === text),
    )
    .reduce((sum, { value }) => sum + value, 0);
}

function parseMetrics(text: string): Metric[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of]);
    return [{ name, labels: labelsSchema.parse(Object.fromEntries(pairs)), value: Number(value) }];
  });
}

const labelsSchema = z.record(z.string(), z.string());
