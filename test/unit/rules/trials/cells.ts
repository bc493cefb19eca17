import type { Context, HistoryForm } from '../../../../schemas/evaluation/context';
import type { Cell, Selection } from '../../../../schemas/evaluation/evaluation';
import { INSTANCE_TYPES } from '../../../../schemas/dataset/instance-type';

/** Takes all instances. */
export const ALL: Selection = { limit: null, types: [...INSTANCE_TYPES] };

const MODEL = 'openai:one';
const JUDGE = 'openai:judge';

interface CellChanges {
  readonly model?: string;
  /** The model that matches or judges, and also takes inferences apart unless another one does. */
  readonly by?: string;
  readonly selection?: Selection;
}

export function buildInferenceCell(
  changes: CellChanges & {
    readonly context?: Context;
    readonly decomposer?: string;
    readonly form?: 'evaluator' | 'prefmatcher';
  } = {},
): Extract<Cell, { task: 'inference' }> {
  const { model = MODEL, context = 'full', by = JUDGE, form = 'evaluator', selection = ALL } = changes;
  const matcher = { spec: by, form };
  return { task: 'inference', model, context, decomposer: changes.decomposer ?? by, matcher, selection };
}

export function buildGenerationCell(
  changes: CellChanges & { readonly context?: HistoryForm } = {},
): Extract<Cell, { task: 'generation' }> {
  const { model = MODEL, context = 'full', by = JUDGE, selection = ALL } = changes;
  return { task: 'generation', model, context, judge: by, selection };
}
