/** The paper's data set on the Hub. */
export const PUBLISHED_DATA = 'kixlab/CUPID';
