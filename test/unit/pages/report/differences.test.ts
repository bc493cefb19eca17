import { drawDifferences } from '../../../../pages/charts/differences';
import { openPen } from '../../../../pages/charts/drawing';

test('models that do not differ have a mark without an interval', async () => {
  const pair = {
    task: 'generation',
    context: 'full',
    evaluator: 'openai:judge',
    evaluator_form: 'judge',
    decomposer: null,
    model: 'openai:a',
    other_model: 'openai:b',
    n_instances: 9,
    n_personas: 3,
    n_pairs: null,
    f1: null,
    macro_f1: null,
    accuracy: null,
    paired_accuracy: null,
  } as const;
  const draw = async (difference: number) => {
    const interval = { low: difference, high: difference };
    const one = { ...pair, average_score: { difference, interval } };
    const [figure] = drawDifferences(await openPen(), [one, { ...one, context: 'none' }]);
    const markup = figure?.drawing ?? '';
    const [, from, to] = /stroke-width="1.75"[^>]*><line x1="([\d.]+)" x2="([\d.]+)"/.exec(markup) ?? [];
    return { from, to };
  };
  for (const difference of [0, 0.5]) {
    const { from, to } = await draw(difference);
    expect(from).toMatch(/\d/);
    expect(to).toBe(from);
  }
});
