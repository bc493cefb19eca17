import { parseModelSpec, quoteSpec } from '../schemas/model/model-spec';
import { formatCloseWord } from '../schemas/text/close-names';
import { parseSimulatedOptions, SIMULATED_MODELS, SIMULATED_OPTIONS } from '../models/simulated/options';

/** Returns the simulated models with what each does. */
export function listSimulatedModels(): [name: string, meaning: string][] {
  return Object.entries(SIMULATED_MODELS).map(([name, { meaning }]) => [`simulated:${name}`, meaning]);
}

/** Returns the options of a simulated model with their meanings. */
export function listSimulatedOptions(): [name: string, meaning: string][] {
  return Object.entries(SIMULATED_OPTIONS);
}

/** Checks a SPEC as far as possible without an environment. @throws Error that says what was expected */
export function checkSpec(text: string): void {
  const spec = parseModelSpec(text);
  if (spec.provider === 'memory') {
    throw new Error(
      `${quoteSpec(text)} is a memory system, not a model. Name it with cupid eval --memory, without memory: before it.`,
    );
  }
  if (spec.provider !== 'simulated') return;
  if (!Object.hasOwn(SIMULATED_MODELS, spec.model)) {
    const names = listSimulatedModels().map(([name]) => name);
    throw new Error(
      `${quoteSpec(text)} names no simulated model.${formatCloseWord(`simulated:${spec.model}`, names)} The simulated models are ${names.join(', ')}.`,
    );
  }
  parseSimulatedOptions(spec.options);
}
