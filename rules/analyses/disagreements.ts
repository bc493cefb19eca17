import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { getRowResult } from '../../schemas/evaluation/measure';
import { groupBy } from '../group-by';
import type { Setting } from '../../schemas/evaluation/results/keys';
import { getSetting } from '../scores/cells';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { compareKeys } from '../scores/order';

type ComparedRow = Setting &
  Pick<ScoreRow, 'persona_id' | 'instance_type' | 'model' | 'state' | 'f1' | 'score' | 'choice'>;

/** An instance with each model's result on it. */
export interface Disagreement extends Pick<ScoreRow, 'persona_id' | 'instance_type'> {
  readonly setting: Setting;
  /** Highest result minus lowest: of F1 from 0 to 1, of scores from 0 to 10. */
  readonly range: number;
  /** Best first; models with equal results by name. */
  readonly results: readonly { readonly model: string; readonly result: number }[];
}

/**
 * Returns the instances on which the models' results differ most, within the setting that has the most models. If several settings have as many,
 * the first in order is taken: inference before generation, all sessions before other contexts. Models that could not read the whole history are
 * ignored, and instances on which all models agree are left out.
 */
export function findDisagreements(rows: readonly ComparedRow[], count: number): Disagreement[] {
  const settings = [...groupBy(rows, (row) => JSON.stringify(getSetting(row))).values()].map(
    (settingRows) => ({
      settingRows,
      models: new Set(settingRows.map(({ model }) => model)).size,
    }),
  );
  const maxModels = settings.reduce((high, { models }) => Math.max(high, models), 0);
  const chosen = settings.find(({ models }) => models === maxModels)?.settingRows ?? [];
  const [first] = chosen;
  if (first === undefined || maxModels < 2) return [];
  const setting = getSetting(first);
  return [...groupBy(chosen, buildInstanceKey).values()]
    .flatMap((instanceRows) => compareInstance(setting, instanceRows))
    .toSorted((a, b) => compareKeys(buildOrder(a), buildOrder(b)))
    .slice(0, count);
}

function compareInstance(setting: Setting, rows: readonly ComparedRow[]): Disagreement[] {
  const results = rows
    .flatMap((comparedRow) => {
      const result = getRowResult(comparedRow);
      return comparedRow.state === 'scored' && result !== null ? [{ model: comparedRow.model, result }] : [];
    })
    .toSorted((a, b) => compareKeys([-a.result, a.model], [-b.result, b.model]));
  const [best, worst] = [results[0], results.at(-1)];
  const [row] = rows;
  if (row === undefined || best === undefined || worst === undefined || best.result === worst.result)
    return [];
  const { persona_id, instance_type } = row;
  return [{ persona_id, instance_type, setting, range: best.result - worst.result, results }];
}

function buildOrder({ range, persona_id, instance_type }: Disagreement): (string | number)[] {
  return [-range, persona_id, instance_type];
}
