import { drawDifferences } from '../../../../pages/charts/differences';
import { openPen } from '../../../../pages/charts/drawing';

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
  average_score: { difference: 0.5, interval: null },
} as const;

test('the labels of pairs differ and fit beside the chart', async () => {
  const [model, ...others] = ['70B', '8B', '3B'].map(
    (size) => `vllm:meta/Llama-3.1-${size}-Instruct-quantized-w8a8`,
  );
  const [figure] = drawDifferences(
    await openPen(),
    others.map((other_model) => ({ ...pair, model: model ?? '', other_model })),
  );
  const markup = figure?.drawing ?? '';
  const labels = [...markup.matchAll(/<text[^>]*>([^<]* − [^<]*)<\/text>/g)].map(([, label]) => label);
  expect(labels).toEqual(
    ['8B', '3B'].map((size) => `…70B-Instruct-quantized-w8a8 − …${size}-Instruct-quantized-w8a8`),
  );
  const [, margin] = /transform="translate\(([\d.]+),[^>]*>[^<]* − /.exec(markup) ?? [];
  expect(Number(margin)).toBeGreaterThan(6 * Math.max(...labels.map((label = '') => label.length)));
});

test('models that do not differ have a mark without an interval', async () => {
  for (const difference of [0, 0.5]) {
    const { from, to } = await drawInterval(difference);
    expect(from).toMatch(/\d/);
    expect(to).toBe(from);
  }
});

async function drawInterval(difference: number) {
  const interval = { low: difference, high: difference };
  const one = { ...pair, average_score: { difference, interval } };
  const [figure] = drawDifferences(await openPen(), [one, { ...one, context: 'none' }]);
  const markup = figure?.drawing ?? '';
  const [, from, to] = /stroke-width="1.75"[^>]*><line x1="([\d.]+)" x2="([\d.]+)"/.exec(markup) ?? [];
  return { from, to };
}
