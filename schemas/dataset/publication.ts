import { z } from 'zod';

/**
 * What becomes of a file: `new`, `changed` and `removed` are what a commit does; `same` is there already; `kept` is on the
 * Hub only, and stays there.
 */
const FILE_STATES = ['new', 'changed', 'same', 'removed', 'kept'] as const;
export type FileState = (typeof FILE_STATES)[number];

const publishedFileSchema = z.object({
  /** In the repository. */
  path: z.string(),
  bytes: z.number().int().nonnegative(),
  state: z.enum(FILE_STATES),
});
export type PublishedFile = z.infer<typeof publishedFileSchema>;

/** What `cupid publish --json` prints. */
export const publicationSchema = z.object({
  /** `owner/name` */
  repo: z.string(),
  url: z.url(),
  branch: z.string(),
  /** The one that was made; of what was published before, the branch's latest. Absent when there is none yet, and with a pull request that is there already. */
  commit: z.string().optional(),
  /** The address of the pull request that has the files. */
  pullRequest: z.url().optional(),
  /** The Python that loads it with `datasets`. Absent of a dry run, and of a pull request. */
  load: z.string().optional(),
  /** Nothing differed: no commit was made. */
  unchanged: z.boolean(),
  /** The Hub was only read: this is what would be done. */
  dryRun: z.boolean(),
  files: z.array(publishedFileSchema),
});
export type Publication = z.infer<typeof publicationSchema>;
