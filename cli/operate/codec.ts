import { readKeyring } from '../../data/encryption/keys';
import { openCodecEndpoint } from '../../workers/server/codec-endpoint';
import { EXIT } from '../exit';
import { waitUntilInterrupted } from '../interrupt';
import { print, printMessage } from '../output';

/** `cupid codec`: decrypts values for Temporal's UI and command line until Ctrl-C. Returns the exit code. */
export async function runCodec(options: {
  readonly port: number;
  readonly allowOrigin: readonly string[];
}): Promise<number> {
  const { port, allowOrigin } = options;
  const keys = readKeyring();
  const { current } = keys;
  const endpoint = await openCodecEndpoint({ keys, origins: allowOrigin, port });
  // On standard output and alone on its line, so that a program can take it.
  print(endpoint.url);
  printMessage(
    `Codec endpoint for pages at ${allowOrigin.join(', ')}; encrypts with key ${current}. Anyone who can reach this port can decrypt values. Press Ctrl-C to stop it.`,
  );
  await waitUntilInterrupted(
    new Promise(() => undefined),
    () => printMessage('Stopping.'),
    'Stopped at once.',
  );
  endpoint.close();
  return EXIT.done;
}
