/** The paper's data set on the Hub. */
export const PUBLISHED_DATA = 'kixlab/CUPID';

/** Address of PrefMatcher when it is served as docs/evaluation.md says. */
export const PREFMATCHER = 'openai-compatible:kixlab/prefmatcher-7b@http://localhost:8000/v1';
