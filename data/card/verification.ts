import { listPresent } from '../../schemas/text/list-present';
import type { DataFigures } from '../../schemas/dataset/data-figures';
import type { DataStatistics } from '../../schemas/dataset/data-statistics';
import { hasSimulated } from '../../schemas/model/model-spec';
import type { VerificationResults } from '../../schemas/verification/verification';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import { buildTextTable } from '../../schemas/text/table';
import { withFrontMatter } from './front-matter';
import { formatCode, formatDecimals, renderBullets, renderMarkdownTable } from './markdown';
import { renderFigures } from './figures';
import { readCard } from './read';
import { getSizeCategory } from './render';
import { findSection, withSection } from './section';
import { renderStatistics } from './statistics';

/** Marks data that a model has verified. */
const VERIFIED_TAG = 'model-verified';
export const REVIEWED_TAG = 'human-verified';

/** Tags of data without the instances that were not accepted, where a persona may have fewer than three. */
export const ACCEPTED_TAGS: readonly string[] = [VERIFIED_TAG, REVIEWED_TAG];

/** Marks data that a simulated model has verified. */
export const SIMULATED_VERIFICATION_TAG = 'simulated-verification';

const MODEL_TAGS: readonly string[] = [VERIFIED_TAG, SIMULATED_VERIFICATION_TAG];

/**
 * Returns the card of a data set that keeps only the accepted instances: it says who verified them, with what result, and describes these
 * instances.
 * @throws DataError when the front matter is not YAML
 */
export function withVerification(
  card: string,
  results: VerificationResults,
  { statistics, figures }: { readonly statistics: DataStatistics; readonly figures: DataFigures },
): string {
  const isSimulated = hasSimulated([results.verifier]);
  const review = findReview(card);
  const unchecked = review === undefined ? '; people have not checked them' : '';
  const outcome = `This data set has the ${formatNumber(results.all.accepted)} that it accepted${unchecked}. A persona may have fewer than three instances.`;
  return withAccepted(card, {
    name: 'CUPID-Model-Verified',
    tags: [VERIFIED_TAG, ...(isSimulated ? [SIMULATED_VERIFICATION_TAG] : [])],
    verification: listPresent(review, renderVerification(results, outcome)).join('\n\n'),
    statistics,
    figures,
  });
}

/**
 * Returns the card of a data set that keeps only the accepted instances.
 * @param verification the section on who accepted them
 * @throws DataError when the front matter is not YAML
 */
export function withAccepted(
  card: string,
  {
    name,
    tags,
    verification,
    statistics,
    figures,
  }: {
    readonly name: string;
    readonly tags: readonly string[];
    readonly verification: string;
    readonly statistics: DataStatistics;
    readonly figures: DataFigures;
  },
): string {
  const otherTags = readCard(card).tags.filter((tag) => !MODEL_TAGS.includes(tag));
  const front = withFrontMatter(card, {
    size_categories: [getSizeCategory(statistics.instances)],
    tags: [...new Set([...otherTags, ...tags])],
    pretty_name: name,
  });
  return [['Statistics', renderStatistics(statistics)] as const, ['Quality', renderFigures(figures)] as const]
    .reduce(
      (text, [title, content]) => replaceSection(text, title, content),
      withVerificationSection(front, verification),
    )
    .replace(/^# CUPID(?:-Unverified|-Model-Verified)?$/m, `# ${name}`);
}

/** Returns the card of all instances with the totals of their verification. */
export function withVerificationTotals(card: string, results: VerificationResults): string {
  const outcome = `It accepted ${formatNumber(results.all.accepted)}; this data set has the others as well.`;
  const content = listPresent(findReview(card), renderVerification(results, outcome)).join('\n\n');
  return withVerificationSection(card, content);
}

/** Finds the card's section on its review by people; undefined if there is none. */
function findReview(card: string): string | undefined {
  return readCard(card).tags.includes(REVIEWED_TAG) ? findSection(card, 'Verification') : undefined;
}

/**
 * Renders the totals of a verification.
 * @param outcome what it means for the data set
 */
function renderVerification(results: VerificationResults, outcome: string): string {
  const { verifier, all, personas, prompts, self_agreement, request_recall: recall } = results;
  const { share, n_personas: repeated } = self_agreement;
  const agreement =
    share === null
      ? 'unknown, since no verdict was reached twice'
      : `${formatDecimals(share * 100, 1)} % of the verdicts on ${formatCount(repeated, 'persona')} that it verified twice`;
  const { solvable, challenging, contrasting } = all.verdicts;
  const cells = ({ yes, no, unknown }: typeof solvable) => [yes, no, unknown].map(formatNumber);
  return listPresent(
    hasSimulated([verifier]) &&
      '**Simulated verification: the verifier answers by rule. Its verdicts say nothing about the data.**',
    `A model, ${formatCode(verifier)}, verified ${formatCount(all.n_instances, 'instance')} of ${formatNumber(personas.verified)} of the ${formatCount(personas.all, 'persona')} with \`cupid verify\`, as section 3.2 of the paper describes it for people. ${outcome}`,
    renderMarkdownTable(
      buildTextTable(
        ['Verdict', 'Yes', 'No', 'Unknown'],
        [
          ['solvable: the dialogues express the relevant preferences', ...cells(solvable)],
          ['challenging: the request does not reveal the preference', ...cells(challenging)],
          ['contrasting: no response satisfies both preferences', ...cells(contrasting)],
        ],
      ),
    ),
    renderBullets(
      listPresent(
        `Agreement of the model with itself: ${agreement}.`,
        recall !== null &&
          `Recall of the checklist from the current request alone, without any history (the lower, the less the request reveals): ${formatDecimals(recall.share * 100, 1)} % (95 % interval: ${formatDecimals(recall.interval.low * 100, 1)}–${formatDecimals(recall.interval.high * 100, 1)} %).`,
        `Prompts: ${formatCode(prompts.source)}, SHA-256 ${formatCode(prompts.hash)}.`,
        `Verified data: SHA-256 ${formatCode(results.data.sha256)}.`,
      ),
    ),
  ).join('\n\n');
}

/** Returns the card with this section on verification. */
function withVerificationSection(card: string, content: string): string {
  return withSection(card, 'Verification', content, 'How it was made');
}

/** Returns the card with the section of this title replaced; unchanged if it has none. */
function replaceSection(card: string, title: string, content: string): string {
  return card.replace(
    new RegExp(`^(## ${title}\\n\\n)[\\s\\S]*?\\n\\n(?=## )`, 'm'),
    (_, heading: string) => `${heading}${content}\n\n`,
  );
}
