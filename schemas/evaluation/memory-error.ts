/**
 * Kinds of failures of a memory system. None is a kind of a model's error, so that no reply of a memory becomes the state of a model.
 *
 * `memory-away`: it may answer later, so the recall is retried without limit. `memory-failed`: it failed for this user several times, and the
 * score is missing. `memory-set-up`: it never answered, or failed for many users in a row, and the run stops.
 */
export type MemoryErrorKind = 'memory-away' | 'memory-failed' | 'memory-set-up';
