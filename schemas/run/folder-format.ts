/**
 * The form in which runs, evaluations, reviews and bundles are stored: the `format` of the document that each begins with. A new form gets the
 * next number and a reader of this one.
 */
export const FOLDER_FORMAT = 6 as const;
