import { wrapText } from './terminal/wrap';
import { MODEL_PROVIDERS } from '../schemas/model/provider';
import { listSimulatedModels, listSimulatedOptions } from '../workers/check-spec';

/** Columns of the help, as of the options above it where no terminal is wider. */
const WIDTH = 80;

/** Help about SPECs: their form, the providers, and the simulated models. */
export const SPEC_HELP = `
A SPEC is provider:model, for example openai:gpt-6-luna. The providers are:
${wrapText(MODEL_PROVIDERS.join(', '), WIDTH, '  ').join('\n')}
A model of openai-compatible is NAME@http://HOST:8000/v1, a model of module is
a file of your own.

Simulated models answer by fixed rules, without a key. As a model under test:
${renderMeanings(listSimulatedModels())}
Their options (after a ?, separated by &; quote the SPEC for the shell):
${renderMeanings(listSimulatedOptions())}`;

function renderMeanings(meanings: readonly (readonly [name: string, meaning: string])[]): string {
  const width = Math.max(...meanings.map(([name]) => name.length));
  return meanings
    .flatMap(([name, meaning]) =>
      wrapText(meaning, WIDTH - width - 4).map(
        (line, at) => `  ${(at === 0 ? name : '').padEnd(width)}  ${line}`,
      ),
    )
    .join('\n');
}
