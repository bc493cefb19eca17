import { openData, type OpenOptions } from '../../data/sets/open';
import { findVerificationFolder } from '../../publishing/export/verified';
import { acceptVerified } from '../../reviews/auto';
import { readReview } from '../../reviews/folder';
import { EXIT, UsageError } from '../exit';
import { print } from '../output';
import { renderReviewResult } from './result-text';

/** `cupid review --auto`: a model's verdicts instead of people. Returns the exit code. */
export async function reviewByModel(
  path: string,
  data: string,
  auto: string | true,
  options: OpenOptions,
): Promise<number> {
  if ((await readReview(path)) !== undefined) {
    throw new UsageError(
      `${path} contains a review by people, which --auto does not replace. Name another folder: --results-dir DIR`,
    );
  }
  const dataSet = await openData(data, options);
  const result = await acceptVerified(path, dataSet, auto === true ? findVerificationFolder(dataSet) : auto);
  print(renderReviewResult(path, result).join('\n'));
  return result.open === 0 ? EXIT.done : EXIT.withFailures;
}
