import { DefaultFailureConverter } from '@temporalio/common';

/** Puts messages and stack traces of failures where codecs reach them. Temporal's SDK loads it by its path. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
