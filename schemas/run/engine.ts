// Workflows read this constant, so this module does not import zod.

/** The engine in a run's own folder, as named in `run.json`. */
export const EMBEDDED = 'embedded';

/** @param engine its id: `embedded`, or a cluster's address and namespace */
export function isCluster(engine: string): boolean {
  return engine !== EMBEDDED;
}
