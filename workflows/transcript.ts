import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { Told } from '../schemas/transcript';

/** Where workflows tell what they ask and get. Nobody listens but `cupid replay`: other workers register it to do nothing. */
export interface TranscriptSinks extends Sinks {
  readonly transcript: { tell(told: Told): void };
}

/** Tells whoever replays the workflow. Schedules nothing, and so is no part of its history. */
export function tell(told: Told): void {
  proxySinks<TranscriptSinks>().transcript.tell(told);
}
