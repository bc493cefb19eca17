import { findTemporal, TemporalNotFound } from '../../workers/server/temporal-binary';
import { MissingPart, type Report } from './part';

/** Temporal's development server, as commands find it: on PATH, in the cache, downloaded or built. */
export async function installTemporal(report: Report): Promise<string> {
  try {
    return (await findTemporal(report)).path;
  } catch (error) {
    if (!(error instanceof TemporalNotFound)) throw error;
    throw new MissingPart(error.message, GO_COMMAND, { cause: error });
  }
}

/** With Go, the server is built. */
const GO_COMMAND = `mkdir -p ~/.local && curl -fsSL https://go.dev/dl/go1.26.8.${process.platform}-${process.arch === 'arm64' ? 'arm64' : 'amd64'}.tar.gz | tar -xz -C ~/.local && export PATH=~/.local/go/bin:$PATH`;
