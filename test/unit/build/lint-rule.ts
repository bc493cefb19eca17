import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..', '..');

interface Report {
  readonly message: string;
}

type Visitors = Readonly<Record<string, ((node: object) => void) | undefined>>;

/** A rule of the linter. */
export interface LintRule {
  create(context: {
    readonly cwd: string;
    readonly filename: string;
    readonly report: (problem: Report) => void;
  }): Visitors;
}

/** Returns what a rule says of a node of this type in a file of the project. */
export function lintNode(rule: LintRule, file: string, type: string, node: object): string[] {
  const messages: string[] = [];
  const context = {
    cwd: ROOT,
    filename: join(ROOT, file),
    report: ({ message }: Report) => void messages.push(message),
  };
  rule.create(context)[type]?.(node);
  return messages;
}
