import * as z from 'zod';

/**
 * State of a file: `new`, `changed` and `removed` are changes by a commit; `same` is there already; `kept` exists on the Hub only, and stays
 * there; `unknown` was not compared, because the Hub was not reached.
 */
const FILE_STATES = ['new', 'changed', 'same', 'removed', 'kept', 'unknown'] as const;
export type FileState = (typeof FILE_STATES)[number];

const publishedFileSchema = z.object({
  /** Path in the repository. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
  state: z.enum(FILE_STATES),
});
export type PublishedFile = z.infer<typeof publishedFileSchema>;

/** Output of `cupid publish --json`. */
export const publicationSchema = z.object({
  /** `owner/name` */
  repo: z.string(),
  url: z.url(),
  branch: z.string(),
  /** The new commit; if everything was published before, the branch's latest. Absent if there is none yet, and for an existing pull request. */
  commit: z.string().optional(),
  /** Address of the pull request with the files. */
  pullRequest: z.url().optional(),
  /** Python that loads it with `datasets`. Absent for a dry run and for a pull request. */
  loadingCode: z.string().optional(),
  /** True if nothing differed, so that no commit was made. */
  unchanged: z.boolean(),
  /** True if the Hub was only read, and these are the changes that would be made. */
  dryRun: z.boolean(),
  files: z.array(publishedFileSchema),
});
export type Publication = z.infer<typeof publicationSchema>;
