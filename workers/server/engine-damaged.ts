/**
 * The database of the embedded engine became unusable while it ran. Nothing that was answered is lost: a new database continues from the
 * journal.
 */
export class EngineDamaged extends Error {
  override readonly name = 'EngineDamaged';

  /** @param reason a sentence */
  constructor(reason: string, options?: ErrorOptions) {
    super(
      `The database of the embedded Temporal server was damaged while it ran. ${reason} No answer is lost: run the same command again, which starts a new database.`,
      options,
    );
  }
}
