import type { ScoreRow } from '../../schemas/evaluation/evaluation';
import { groupBy } from '../group-by';
import { getSetting, type Setting } from '../scores/cells';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { compareKeys } from '../scores/order';

type ComparedRow = Setting &
  Pick<ScoreRow, 'persona_id' | 'instance_type' | 'model' | 'state' | 'f1' | 'score'>;

/** An instance, and what each model came to on it. */
export interface Disagreement extends Pick<ScoreRow, 'persona_id' | 'instance_type'> {
  readonly setting: Setting;
  /** Highest less lowest: of F1 from 0 to 1, of scores from 0 to 10. */
  readonly range: number;
  /** The best first; models with the same result by name. */
  readonly results: readonly { readonly model: string; readonly result: number }[];
}

/**
 * Returns the instances on which the results of models lie furthest apart, within the setting that has the most models, and of several such ones the
 * first in order: inference before generation, from all sessions before other contexts. A model that could not take the history in says
 * nothing about an instance. Instances on which all models agree are left out.
 */
export function findDisagreements(rows: readonly ComparedRow[], count: number): Disagreement[] {
  const settings = [...groupBy(rows, (row) => JSON.stringify(getSetting(row))).values()].map((own) => ({
    own,
    models: new Set(own.map(({ model }) => model)).size,
  }));
  const most = settings.reduce((high, { models }) => Math.max(high, models), 0);
  const chosen = settings.find(({ models }) => models === most)?.own ?? [];
  const [first] = chosen;
  if (first === undefined || most < 2) return [];
  const setting = getSetting(first);
  return [...groupBy(chosen, buildInstanceKey).values()]
    .flatMap((own) => compareInstance(setting, own))
    .toSorted((one, other) => compareKeys(buildOrder(one), buildOrder(other)))
    .slice(0, count);
}

function compareInstance(setting: Setting, rows: readonly ComparedRow[]): Disagreement[] {
  const results = rows
    .flatMap(({ model, state, f1, score }) => {
      const result = setting.task === 'inference' ? f1 : score;
      return state === 'scored' && result !== null ? [{ model, result }] : [];
    })
    .toSorted((one, other) => compareKeys([-one.result, one.model], [-other.result, other.model]));
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
