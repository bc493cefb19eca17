/** Event that a workflow reports to traces. */
export type WorkflowEvent =
  /** A persona's dialogues report concurrently. */
  | { readonly event: 'dialogue-begun' | 'dialogue-completed'; readonly session: number }
  | { readonly event: 'dialogue-failed'; readonly session: number; readonly kind: string }
  /** An answer is good; accepted doubtful ones are not reported. */
  | { readonly event: 'answered'; readonly key: string }
  /** The workflow ended: by itself, or by an error. */
  | { readonly event: 'ended'; readonly failed: boolean };
