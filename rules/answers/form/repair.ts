/** The first ask of the sample that an ask belongs to, when a sample is asked `asks` times at the most. */
export function sampleStart(ask: number, asks: number): number {
  return Math.floor(ask / asks) * asks;
}

/** What a model is told after an answer that cannot be used. */
export function correction(reason: string): string {
  return `I could not use that answer: ${reason}\n\nPlease answer once more, the whole answer from its beginning, in exactly the form you were asked for, with this put right.`;
}
