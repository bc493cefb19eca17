import { findTemporal, TemporalNotFound } from '../../workers/server/temporal-binary';
import { MissingPart, type Report } from './part';

/** Finds Temporal's development server as commands do: on PATH, in the cache, downloaded or built. */
export async function installTemporal(report: Report): Promise<string> {
  try {
    return (await findTemporal(report)).path;
  } catch (error) {
    if (!(error instanceof TemporalNotFound)) throw error;
    const tried = error.message.split('\n').filter((line) => line.startsWith('- '));
    const reasons = tried.map((line) => line.slice('- '.length)).join(' ');
    throw new MissingPart(`There is no Temporal server. ${reasons || error.message}`, GO_COMMAND, {
      cause: error,
    });
  }
}

/** Builds the server with Go; the same command as in deploy/install-parts. */
const GO_COMMAND =
  `mkdir -p "$HOME/.local" && curl -fsSL https://go.dev/dl/go1.26.8.${process.platform}-${process.arch === 'arm64' ? 'arm64' : 'amd64'}.tar.gz ` +
  '| tar -xz -C "$HOME/.local" && export PATH="$HOME/.local/go/bin:$PATH"';
