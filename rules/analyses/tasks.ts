import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import type { TaskComparison } from '../../schemas/evaluation/results/analyses';
import type { Numbers } from '../../schemas/evaluation/results/figures';
import type { Setting } from '../../schemas/evaluation/results/keys';
import { getSetting } from '../scores/cells';
import { computeCorrelation } from './correlation';
import { groupRows } from './groups';
import { computeNumbers } from '../scores/numbers';

/** Compares each evaluation of inference with each judge of generation in the same context. */
export function compareTasks(rows: readonly ScoreRow[]): TaskComparison[] {
  return pairWithInference(rows, 'generation').map(({ inference, pairedTask, models: paired }) => {
    const models = paired.flatMap(({ model, inference: { f1 }, pairedTask: { average_score } }) =>
      f1 === null || average_score === null ? [] : [{ model, f1, average_score }],
    );
    return {
      context: inference.context,
      matcher: inference.evaluator,
      matcher_form: inference.evaluator_form,
      decomposer: inference.decomposer,
      judge: pairedTask.evaluator,
      models,
      correlation: computeCorrelation(models.map(({ f1, average_score }) => ({ x: f1, y: average_score }))),
    };
  });
}

/** Two tasks in one context, and the numbers of the models that did both. */
interface TaskPair {
  inference: Setting;
  pairedTask: Setting;
  models: { model: string; inference: Numbers; pairedTask: Numbers }[];
}

/** Pairs each evaluation of inference with each one of another task in the same context. */
export function pairWithInference(rows: readonly ScoreRow[], task: Task): TaskPair[] {
  const settings = groupRows(rows, getSetting).map(({ name, rows: settingRows }) => ({
    name,
    models: groupRows(settingRows, ({ model }) => model).map(
      (group) => [group.name, computeNumbers(group.rows)] as const,
    ),
  }));
  return settings.flatMap((inference) => {
    if (inference.name.task !== 'inference') return [];
    const taskSettings = settings.filter(
      ({ name }) => name.task === task && name.context === inference.name.context,
    );
    return taskSettings.map((setting) => {
      const numbers = new Map(setting.models);
      const models = inference.models.flatMap(([model, inferenceNumbers]) => {
        const pairedNumbers = numbers.get(model);
        return pairedNumbers === undefined
          ? []
          : [{ model, inference: inferenceNumbers, pairedTask: pairedNumbers }];
      });
      return { inference: inference.name, pairedTask: setting.name, models };
    });
  });
}
