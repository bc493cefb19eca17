import type { MemoryProblem } from '../models/memory/recall';
import type { ModelSpec } from '../schemas/model/model-spec';

// For `runs/`, which imports nothing of models. Loaded late, because few evaluations have a memory system.

/** Explains why a memory system cannot be used, after two short messages; undefined if it can. */
export async function findMemoryProblem(
  spec: ModelSpec,
  signal: AbortSignal,
): Promise<MemoryProblem | undefined> {
  const memory = await import('../models/memory/memory.js');
  return memory.findMemoryProblem(spec, signal);
}
