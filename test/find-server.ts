import { findTemporal } from '../workers/server/temporal-binary';

/** Before the tests that start it: the real Temporal server, which a new machine has to download or build once. */
export default async function setUp(): Promise<void> {
  await findTemporal((line) => process.stderr.write(`${line}\n`));
}
