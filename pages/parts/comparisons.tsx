import type { ComponentChild } from 'preact';
import { formatCount } from '../../schemas/text/count-text';
import { Text } from './text';

interface ComparisonsProps<Comparison> {
  readonly comparisons: readonly Comparison[];
  /** Renders a sentence, for example with a link; absent for the text alone. */
  readonly renderText?: (comparison: Comparison) => ComponentChild;
}

/** Renders sentences that compare models: the first ones, and the others folded. */
export function Comparisons<Comparison extends { readonly text: string }>({
  comparisons,
  renderText = ({ text }) => <Text text={text} />,
}: ComparisonsProps<Comparison>) {
  if (comparisons.length === 0) return null;
  const renderList = (listedComparisons: readonly Comparison[]) => (
    <ul class="comparisons">
      {listedComparisons.map((comparison) => (
        <li key={comparison.text}>{renderText(comparison)}</li>
      ))}
    </ul>
  );
  const furtherComparisons = comparisons.slice(SENTENCES_SHOWN);
  return (
    <>
      {renderList(comparisons.slice(0, SENTENCES_SHOWN))}
      {furtherComparisons.length > 0 && (
        <details class="printed">
          <summary>{formatCount(furtherComparisons.length, 'more comparison')}</summary>
          {renderList(furtherComparisons)}
        </details>
      )}
    </>
  );
}

const SENTENCES_SHOWN = 6;
