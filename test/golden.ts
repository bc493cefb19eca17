import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const UPDATE = process.env['CUPID_UPDATE_GOLDEN'] === '1';
const REMEDY =
  'If this change is intended, run this test with CUPID_UPDATE_GOLDEN=1 and read the new file.\n\n';

/** A case, and its text. */
export type TitledText = readonly [title: string, text: string];

/** A case, and a call that must be refused. */
export type RefusedCall = readonly [title: string, call: () => unknown];

/**
 * Compares a text with the file of this name in `test/golden/`, which a person has read. A list of cases becomes one text.
 * @param folder is replaced by `DIR`
 */
export function expectGolden(name: string, cases: string | readonly TitledText[], folder?: string): void {
  const file = join(__dirname, 'golden', name);
  const whole = typeof cases === 'string' ? cases : cases.map(renderCase).join('');
  const text = maskPlaces(folder === undefined ? whole : whole.replaceAll(folder, 'DIR'));
  if (UPDATE) writeFileSync(file, text);
  if (!existsSync(file)) {
    throw new Error(
      `There is no test/golden/${name}. Run this test with CUPID_UPDATE_GOLDEN=1, which writes it, and read it.`,
    );
  }
  const golden = readFileSync(file, 'utf8');
  // Jest shows the difference below the remedy.
  if (text !== golden) expect(`${REMEDY}${text}`).toBe(`${REMEDY}${golden}`);
}

function renderCase([title, text]: TitledText): string {
  return `## ${title}\n${text.trimEnd()}\n`;
}

/** Masks what differs between machines: how cupid was started, and the words of Node.js for an error in JSON. */
function maskPlaces(text: string): string {
  return text
    .replaceAll('npx cupid ', 'cupid ')
    .replaceAll(/not JSON(?: \(.*?\)(?=\.)|: .*?\.(?= [A-Z]))/gs, 'not JSON (…)');
}

/** Expects an error of this class from every call, one after the other. The golden file has their messages. */
export async function expectGoldenErrors(
  name: string,
  folder: string,
  kind: abstract new (...inputs: never[]) => Error,
  calls: readonly RefusedCall[],
): Promise<void> {
  const cases: TitledText[] = [];
  for (const [title, call] of calls) {
    const error = await Promise.resolve()
      .then(call)
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof kind)) throw new Error(`${title}: this is not the error: ${String(error)}`);
    cases.push([title, error.message]);
  }
  expectGolden(name, cases, folder);
}

/** Returns the lines in which two texts differ: those that were removed, then those that were added. */
export function listChangedLines(before: string, after: string): [string[], string[]] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return [old.filter((line) => !now.includes(line)), now.filter((line) => !old.includes(line))];
}

/** Renders the lines in which two texts differ, with a sign before each. */
export function renderChangedLines(before: string, after: string): string {
  const [removed, added] = listChangedLines(before, after);
  return [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join('\n');
}
