import type { ScoreRow, Task } from '../../schemas/evaluation/evaluation';
import type { TaskComparison } from '../../schemas/evaluation/results/analyses';
import type { InferenceAverages } from '../../schemas/evaluation/results/summary';
import type { Setting } from '../../schemas/evaluation/results/keys';
import { getSetting } from '../scores/cells';
import { computeCorrelation } from './correlation';
import { groupRows } from './groups';
import { type Aggregate, computeAggregate } from '../scores/aggregate';

/** Compares each evaluation of inference with each judge of generation in the same context. */
export function compareTasks(rows: readonly ScoreRow[]): TaskComparison[] {
  return pairWithInference(rows, 'generation').map(({ inference, pairedTask, models: paired }) => {
    const models = paired.flatMap(
      ({ model, inference: { f1, n_instances: n_inference_instances }, generation }) => {
        const { average_score = null, n_instances: n_generation_instances = 0 } = generation ?? {};
        return f1 === null || average_score === null
          ? []
          : [{ model, f1, n_inference_instances, average_score, n_generation_instances }];
      },
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

/** Two tasks in one context, and the averages of the models that did both. */
interface TaskPair {
  inference: Setting;
  pairedTask: Setting;
  models: ({ model: string; inference: InferenceAverages } & Pick<Aggregate, 'generation' | 'choice'>)[];
}

/** Pairs each evaluation of inference with each one of another task in the same context. */
export function pairWithInference(rows: readonly ScoreRow[], task: Task): TaskPair[] {
  const settings = groupRows(rows, getSetting).map(({ name, rows: settingRows }) => ({
    name,
    models: groupRows(settingRows, ({ model }) => model).map(
      (group) => [group.name, computeAggregate(group.rows)] as const,
    ),
  }));
  return settings.flatMap((inference) => {
    if (inference.name.task !== 'inference') return [];
    const taskSettings = settings.filter(
      ({ name }) => name.task === task && name.context === inference.name.context,
    );
    return taskSettings.map((setting) => {
      const averages = new Map(setting.models);
      const models = inference.models.flatMap(([model, { inference: inferenceAverages }]) => {
        const paired = averages.get(model);
        return inferenceAverages === null || paired === undefined
          ? []
          : [{ model, inference: inferenceAverages, generation: paired.generation, choice: paired.choice }];
      });
      return { inference: inference.name, pairedTask: setting.name, models };
    });
  });
}
