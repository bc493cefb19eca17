import { createRunObserver } from '../../../../cli/run/observer';
import { createProgressView } from '../../../../cli/run/progress';
import type { Directives } from '../../../../workflows/messages';

test.each([
  [900, ['The run is paused. Resume it: cupid resume out', 'The run was resumed.']],
  [1_000, ['The run is paused. Resume it: cupid resume out']],
])(
  'the end of a pause after %i of 1,000 tokens is reported only if the run calls a model again',
  async (tokens, reported) => {
    const lines: string[] = [];
    const output = {
      write: (text: string | Uint8Array) => lines.push(String(text).trimEnd()) > 0,
      isTTY: false,
      columns: 80,
    };
    await using view = createProgressView(output, true);
    view.countEarlier([
      {
        spec: 'simulated:default',
        step: 'user',
        calls: 1,
        badAnswers: 0,
        refusals: 0,
        input: tokens,
        output: 0,
        uncountedCalls: 0,
        lostCalls: 0,
        assumedTokens: { input: 0, output: 0 },
        failures: {},
        durationMs: 1,
      },
    ]);
    const { onDirectives } = createRunObserver('out', view);
    onDirectives({ ...DIRECTIVES, pause: { by: 'user' } });
    onDirectives(DIRECTIVES);
    expect(lines).toEqual(reported);
  },
);

const DIRECTIVES: Directives = {
  version: 1,
  grants: {},
  reportIntervalMs: 1_000,
  queryIntervalMs: 1_000,
  budget: { unit: 'tokens', cap: 1_000 },
};
