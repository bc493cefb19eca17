/** The paper's data set on the Hub. */
export const PUBLISHED_DATA = 'kixlab/CUPID';

/** PrefMatcher when it is served as docs/evaluation.md says. */
export const PREFMATCHER_SERVER = {
  model: 'kixlab/prefmatcher-7b',
  url: 'http://localhost:8000/v1',
} as const;
export const PREFMATCHER = `openai-compatible:${PREFMATCHER_SERVER.model}@${PREFMATCHER_SERVER.url}`;
