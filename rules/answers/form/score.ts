import { accepted, quoted, rejected, type Checked } from './checks';

/**
 * The score in a section: one whole number from 1 to 10. Forgives bold type, labels, `8/10` and `8 out of 10`; never guesses.
 * @param heading as the form writes it, for the reason
 */
export function readScore(section: string, heading: string): Checked<number> {
  const plain = section
    .replaceAll(/[*_`]/g, '')
    .replaceAll(/(\d)\s*(?:\/|(?:out\s+)?of)\s*10(?!\d|[.,]\d)/gi, '$1')
    .replaceAll(/[()[\]{}"“”:;=]/g, ' ');
  const numbers = new Set(
    plain
      .split(/\s+/)
      .filter((word) => /\p{Number}/u.test(word))
      .map((word) => word.replace(/[.,!]+$/, '')),
  );
  const [score] = numbers;
  if (numbers.size !== 1 || score === undefined || !/^(?:[1-9]|10)$/.test(score)) {
    return rejected([
      `the section "${heading}" must hold one whole number from 1 to 10 and nothing else, but it reads ${quoted(section)}`,
    ]);
  }
  return accepted(Number(score));
}
