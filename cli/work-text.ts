/** Explains the number of trials to users, who know instances. */
export const TRIALS = 'instances × models × contexts';
