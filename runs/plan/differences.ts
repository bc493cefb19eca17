import type { PromptPack } from '../../schemas/run/prompts';
import { describeSourceChange } from '../../schemas/text/change-text';

/** Lists the differences between two packs. Built-in ones may differ between versions of the program, and a run continues with its own. */
export function listPromptDifferences(before: PromptPack, now: PromptPack): string[] {
  if (before.hash === now.hash || (before.source === 'built-in' && now.source === 'built-in')) return [];
  return [describeSourceChange('prompts', before.source, now.source, 'texts')];
}

/** Lists the differences between two settings, one line each. */
export function listSettingDifferences(path: string, before: unknown, after: unknown): string[] {
  if (isNested(before) && isNested(after)) {
    return Object.keys({ ...before, ...after }).flatMap((key) =>
      listSettingDifferences(path === '' ? key : `${path}.${key}`, before[key], after[key]),
    );
  }
  return before === after ? [] : [`${path}: ${String(before)} before, ${String(after)} now`];
}

function isNested(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
