/** Figures about the calls that the model server received from a run. */

/** Returns the seconds from the first call received to the last call answered. */
export function spanSeconds(calls) {
  return (lastAnswer(calls) - calls[0].receivedAt) / 1000;
}

export function lastAnswer(calls) {
  return calls.reduce((latest, { answeredAt = 0 }) => Math.max(latest, answeredAt), 0);
}

/** Returns the mean number of calls in flight between two times. */
export function meanInFlight(calls, from, to) {
  const busy = calls.reduce(
    (sum, { receivedAt, answeredAt = to }) =>
      sum + Math.max(0, Math.min(answeredAt, to) - Math.max(receivedAt, from)),
    0,
  );
  return busy / (to - from);
}

/** Returns the processor time of the samples between two times, in seconds. */
export function processorSecondsBetween(samples, from, to, whose) {
  const at = (time) => samples.findLast((sample) => sample.at <= time)?.[whose] ?? 0;
  return at(to) - at(from);
}
