import type { JournalEntry } from '../schemas/journal';
import type { LedgerLine } from '../schemas/ledger';
import { stepSchema } from '../schemas/step';
import type { Journal } from './journal';

/** The lines a ledger would have of every answer in a run's journal, workflow by workflow. */
export async function earlierLines(journal: Journal): Promise<LedgerLine[]> {
  const lines: LedgerLine[] = [];
  let call = 0;
  for (const workflowId of await journal.workflows()) {
    const { entries } = await journal.inspect(workflowId);
    const keys = new Set(entries.map(({ key }) => key));
    for (const entry of entries) {
      call += 1;
      lines.push(...linesOf(entry, call, keys));
    }
  }
  return lines;
}

function linesOf(entry: JournalEntry, call: number, keys: ReadonlySet<string>): LedgerLine[] {
  const { key, spec, answer, milliseconds } = entry;
  const { place, step, ask } = partsOf(key);
  // What was asked again had not been good. The last ask of work that failed cannot be told from a good one.
  const again = keys.has(`${place}${ask + 1}`);
  const verdict = answer.finish === 'refused' ? 'refused' : again ? 'bad' : 'good';
  // Only for providers that report no tokens. What was asked is not kept: nothing is known of its length.
  const estimate = { input: 0, output: Math.ceil(answer.text.length / 4) };
  return [
    { event: 'sent', call, key, spec, step, estimate },
    { event: 'answered', call, verdict, usage: answer.usage, milliseconds },
  ];
}

/** A key such as `run/p17/s3#g0.user.t4.a0`, up to the number of the ask, with its step and that number. */
function partsOf(key: string): { place: string; step: LedgerStep; ask: number } {
  const {
    place = '',
    step,
    ask,
  } = /^(?<place>.*#g\d+\.(?<step>[a-z]+)\..*a)(?<ask>\d+)$/.exec(key)?.groups ?? {};
  const known = stepSchema.safeParse(step);
  if (!known.success) {
    throw new Error(
      `The journal entry ${key} names a step that this version of the program does not know. Continue the run with the version that run.json names.`,
    );
  }
  return { place, step: known.data, ask: Number(ask) };
}

type LedgerStep = Extract<LedgerLine, { event: 'sent' }>['step'];
