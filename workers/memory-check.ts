// For `runs/`, which imports nothing of models. Loaded late, because few evaluations have a memory system.

/** Explains why a memory system cannot be used, from one short exchange; undefined if it can. */
export async function findMemoryProblem(
  ...[spec, signal]: Parameters<typeof import('../models/memory/memory').findMemoryProblem>
): Promise<{ readonly message: string; readonly isFatal: boolean } | undefined> {
  const memory = await import('../models/memory/memory.js');
  return memory.findMemoryProblem(spec, signal);
}
