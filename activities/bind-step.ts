import { classifying } from './failure';
import type { RunFiles, World } from './world';

/** A step as an activity: given its world, and whatever it throws classified. */
export function bound<Files extends RunFiles, Input, Output>(
  world: World<Files>,
  step: (world: World<Files>, input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return classifying(world, (input: Input) => step(world, input));
}
