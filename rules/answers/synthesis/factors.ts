import { listPresent } from '../../../schemas/text/list-present';
import type { Quality } from '../../../schemas/run/settings';
import { listFactorProblems } from '../../quality/factors';
import { NO_RELATED_FACTOR, type ContextFactor } from '../../../schemas/dataset/factor';
import { PAPER_TAXONOMY, type Taxonomy } from '../../../schemas/dataset/taxonomy';
import { getTypedSchemas, withListedTypes } from '../form/listed-types';
import { accept, reject, type CheckResult, isOmitted } from '../form/checks';
import { quoteAnswer } from '../../texts/quote-answer';
import { isSameText } from '../../texts/spelling';
import { parseFencedYaml } from '../form/fence';
import { checkEntries, getFields, getList } from '../form/shape';

/**
 * Returns the `nFactors` context factors of a persona (paper, B.2). Their names are unique. The last two are a contrastive pair that name each
 * other; no other has a related factor. Under strict rules, `listFactorProblems` must find nothing.
 */
export function checkFactors(
  text: string,
  {
    nFactors,
    quality,
    taxonomy = PAPER_TAXONOMY,
  }: { readonly nFactors: number; readonly quality: Quality; readonly taxonomy?: Taxonomy | undefined },
): CheckResult<ContextFactor[]> {
  const list = getList(parseFencedYaml(text), 'context_factors');
  if (!list.ok) return list;
  const entries = list.value.map(withRelatedFactor).map((entry) => withListedTypes(entry, quality, taxonomy));
  const { factor } = getTypedSchemas(taxonomy);
  const factors = checkEntries(factor, entries, nFactors, 'context factors', 'factor');
  if (!factors.ok) return factors;
  const problems = [
    ...validateUniqueNames(factors.value),
    ...validatePair(factors.value),
    ...(quality === 'strict' ? listFactorProblems(factors.value) : []),
  ];
  return problems.length > 0 ? reject(problems) : accept(withPairSpelled(factors.value));
}

/** Fills in `N/A` where a model leaves the field out or empty. */
function withRelatedFactor(entry: unknown): unknown {
  const fields = getFields(entry);
  if (fields === undefined) return entry;
  const related = fields['related_factor'] ?? '';
  return typeof related === 'string' && isOmitted(related)
    ? { ...fields, related_factor: NO_RELATED_FACTOR }
    : fields;
}

/** Reports factors that repeat an earlier name. */
export function validateUniqueNames(factors: readonly Pick<ContextFactor, 'factor'>[]): string[] {
  return factors.flatMap(({ factor }, index) => {
    const first = factors.findIndex((candidate) => isSameText(candidate.factor, factor));
    if (first === index) return [];
    return [`factor ${index + 1}: ${quoteAnswer(factor)} is already the name of factor ${first + 1}`];
  });
}

/** Reports why the last two factors are not the only contrastive pair. */
export function validatePair(
  factors: readonly Pick<ContextFactor, 'factor' | 'preference' | 'related_factor'>[],
): string[] {
  const [first, second] = factors.slice(-2);
  if (first === undefined || second === undefined) return ['there must be a contrastive pair of two factors'];
  return listPresent(
    ...factors.map(({ related_factor: related }, index) => {
      const partner = [second, first][index - factors.length + 2];
      if (partner === undefined)
        return (
          related !== NO_RELATED_FACTOR &&
          `factor ${index + 1}: related_factor must be ${NO_RELATED_FACTOR}, not ${quoteAnswer(related)}, because only the last two factors are a contrastive pair`
        );
      return (
        !isSameText(related, partner.factor) &&
        `factor ${index + 1}: related_factor must be the full name of its contrastive partner, ${quoteAnswer(partner.factor)}, not ${quoteAnswer(related)}`
      );
    }),
    isSameText(first.preference, second.preference) &&
      'the last two factors have the same preference, but the preferences of a contrastive pair must contradict each other',
  );
}

/** Spells each factor of the pair in its partner as in the factor's own name. */
function withPairSpelled(factors: readonly ContextFactor[]): ContextFactor[] {
  return factors.map((factor, index) => {
    if (index < factors.length - 2) return factor;
    const partner = factors[index === factors.length - 1 ? index - 1 : index + 1];
    return partner === undefined ? factor : { ...factor, related_factor: partner.factor };
  });
}
