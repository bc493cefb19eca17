import type { KnownInstance } from './filter';

// Paths and contents of the files of a bundle, which its page reads.

/** Names the file of an answer that is about all that the page shows. */
export function nameAnswerFile(name: string): string {
  return `data/${name}.json`;
}

export const LIST_FILE = 'data/list.json';

/** Instances that the page lists, filters and orders. */
export interface BundledList {
  /** The position of an instance is the number of its file. */
  readonly instances: readonly BundledInstance[];
  /** Number of files with the texts that are searched. */
  readonly textFiles: number;
}

export type BundledInstance = Omit<KnownInstance, 'spread'>;

/** Names the file of an `InstanceView`. */
export function nameInstanceFile(number: number): string {
  return nameInFolder('instances', number);
}

/** Names the file of a persona's dialogues, by session. */
export function nameDialoguesFile(persona: number): string {
  return nameInFolder('dialogues', persona);
}

/** Names the file of some texts, in the order of their numbers. */
export function nameTextsFile(number: number): string {
  return `data/texts/${number}.json`;
}

/** Limits the files of a folder, which servers and repositories list as a whole. */
function nameInFolder(folder: string, number: number): string {
  return `data/${folder}/${Math.floor(number / FILES_IN_FOLDER)}/${number}.json`;
}

const FILES_IN_FOLDER = 1_000;
