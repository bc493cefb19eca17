import { parseModelSpec } from '../schemas/model/model-spec';
import { parseSimulatedOptions, SIMULATED_MODELS, SIMULATED_OPTIONS } from '../models/simulated/options';

/** Returns the options of a simulated model with their meanings. */
export function listSimulatedOptions(): [name: string, meaning: string][] {
  return Object.entries(SIMULATED_OPTIONS);
}

/** Checks a SPEC as far as possible without an environment. @throws Error that says what was expected */
export function checkSpec(text: string): void {
  const spec = parseModelSpec(text);
  if (spec.provider === 'memory') {
    throw new Error(
      `${text}: a memory system is no model. Name it with cupid eval --memory, without memory: before it.`,
    );
  }
  if (spec.provider !== 'simulated') return;
  if (!Object.hasOwn(SIMULATED_MODELS, spec.model)) {
    const names = Object.keys(SIMULATED_MODELS).map((name) => `simulated:${name}`);
    throw new Error(
      `${text}: there is no such simulated model. The simulated models are ${names.join(', ')}.`,
    );
  }
  parseSimulatedOptions(spec.options);
}
