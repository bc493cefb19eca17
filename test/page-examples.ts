import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..');

/** A command or a piece of code on a page of the documentation. */
export interface Example {
  readonly page: string;
  /** Number of its first line in the page. */
  readonly line: number;
  /** Language of its block: `shell`, `python` and so on; `output` for what another command prints. */
  readonly language: string;
  readonly text: string;
  /** Lines that the page shows as the output of the command. */
  readonly shown: readonly string[];
}

/** Lists the examples of a page in order: each command of a shell block, and every other block as a whole. */
export function listExamples(page: string): Example[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK)].flatMap((match) => {
    const { indent = '', language = '', text = '' } = match.groups ?? {};
    const line = match.input.slice(0, match.index).split('\n').length + 1;
    const lines = text.split('\n').map((content) => content.slice(indent.length));
    if (lines[0]?.startsWith(PROMPT) === true) return listShownCommands(page, line, lines);
    if (SHELLS.has(language)) return listCommands(page, line, lines);
    return [{ page, line, language: language || 'output', text: lines.join('\n'), shown: [] }];
  });
}

const BLOCK = /^(?<indent> *)```(?<language>[a-z]*)\n(?<text>[^]*?)\n\k<indent>```$/gm;
const SHELLS = new Set(['bash', 'sh', 'console']);
const PROMPT = '$ ';

/** Lists the commands of a block in which a command stands behind a prompt, and its output below it. */
function listShownCommands(page: string, first: number, lines: readonly string[]): Example[] {
  return lines.flatMap((text, at) => {
    if (!text.startsWith(PROMPT)) return [];
    const rest = lines.slice(at + 1);
    const next = rest.findIndex((line) => line.startsWith(PROMPT));
    const shown = next === -1 ? rest : rest.slice(0, next);
    return [{ page, line: first + at, language: 'shell', text: text.slice(PROMPT.length), shown }];
  });
}

/** Lists the commands of a block. A backslash continues one on the next line. */
function listCommands(page: string, first: number, lines: readonly string[]): Example[] {
  const commands: Example[] = [];
  let start = 0;
  for (const [at, text] of lines.entries()) {
    if (text.endsWith('\\')) continue;
    const command = lines.slice(start, at + 1).join('\n');
    if (!/^(?:#.*)?$/.test(command)) {
      commands.push({ page, line: first + start, language: 'shell', text: command, shown: [] });
    }
    start = at + 1;
  }
  return commands;
}
