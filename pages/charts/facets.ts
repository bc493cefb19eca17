import type { PlotOptions } from '@observablehq/plot';
import { CONTEXT_FORMS, HISTORY_FORMS, type HistoryForm } from '../../schemas/evaluation/context';

/** Builds the panels of a chart: one for each context, beside each other and on the same scale. */
export function buildContextFacets(marks: readonly { readonly context: HistoryForm }[]): PlotOptions {
  const domain = HISTORY_FORMS.filter((form) => marks.some(({ context }) => context === form));
  return {
    marginTop: 34,
    marginRight: 34,
    fx: {
      domain,
      padding: 0.16,
      label: null,
      tickFormat: (context: HistoryForm) =>
        domain.length < CONTEXT_FORMS.length ? `context ${context}` : context,
    },
  };
}
