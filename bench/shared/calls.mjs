/** What the model server saw of a run, in figures. */

/** First call received to last call answered, in seconds. */
export function spanSeconds(calls) {
  return (lastAnswer(calls) - calls[0].receivedAt) / 1000;
}

export function lastAnswer(calls) {
  return calls.reduce((latest, { answeredAt = 0 }) => Math.max(latest, answeredAt), 0);
}

/** The mean number of calls in flight between two times. */
export function meanInFlight(calls, from, to) {
  const busy = calls.reduce(
    (sum, { receivedAt, answeredAt = to }) =>
      sum + Math.max(0, Math.min(answeredAt, to) - Math.max(receivedAt, from)),
    0,
  );
  return busy / (to - from);
}

/** The samples' processor time, in seconds, between two times. */
export function processorSecondsBetween(samples, from, to, whose) {
  const at = (time) => samples.findLast((sample) => sample.at <= time)?.[whose] ?? 0;
  return at(to) - at(from);
}
