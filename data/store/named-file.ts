export interface NamedFile {
  readonly path: string;
  /** Name in messages: the path as given, or the path in the Hub's repository. */
  readonly name: string;
  /** Folder above it that the user named, below which no link is followed. Absent for a file that the user named, and for the Hub. */
  readonly within?: string | undefined;
}

export interface DataFile extends NamedFile {
  /** Hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}
