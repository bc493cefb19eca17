import { loadClientConnectConfig } from '@temporalio/envconfig';
import { omitUndefined } from '../../schemas/omit-undefined';
import { isLoopback, parseClusterAddress } from './cluster-address';
import { connectTo, type Engine, type Service } from './connection';
import { explainFailure } from './connection-problem';
import { OLDEST_SERVER } from './temporal-binary';
import { compareVersions } from './versions';

/**
 * Connects to the cluster that the environment or the profile chooses, by the same variables and file as Temporal's own tools.
 * @throws Error when its settings are invalid, or it does not answer or is too old
 */
export async function connectCluster(profile: string | undefined): Promise<Engine> {
  const config = loadChosenConfig(profile);
  const { namespace = 'default' } = config;
  const { address = 'localhost:7233', tls, metadata, apiKey } = config.connectionOptions;
  const { host } = parseClusterAddress(address);
  const key = typeof apiKey === 'string' ? apiKey : undefined;
  if (tls === false && key !== undefined && key !== '' && !isLoopback(host)) {
    throw new Error(
      `The API key would be sent to the Temporal cluster at ${address} unencrypted, because TLS is turned off. Remove TEMPORAL_TLS=false (tls.disabled of the profile), or remove TEMPORAL_API_KEY (api_key of the profile).`,
    );
  }
  const connection = omitUndefined({ address, tls, metadata, apiKey: key });
  let version: string;
  try {
    version = await fetchServerVersion(connection, namespace);
  } catch (error) {
    const reason = await explainFailure(error, connection, address, namespace);
    throw new Error(
      `The Temporal cluster at ${address} does not answer for namespace ${namespace}: ${reason} To use the embedded Temporal server, unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE.`,
      { cause: error },
    );
  }
  if (isTooOld(version)) {
    throw new Error(
      `The Temporal cluster at ${address} runs server ${version}, but ${OLDEST_SERVER} or newer is needed. Upgrade it, or unset TEMPORAL_ADDRESS to use the embedded Temporal server.`,
    );
  }
  return {
    id: `${address} ${namespace}`,
    name: `Temporal cluster ${address}, namespace ${namespace}`,
    connection,
    namespace,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Fetches the version of the server. Checks the namespace, too, unless the server is too old. */
async function fetchServerVersion(service: Service['connection'], namespace: string): Promise<string> {
  const connection = await connectTo({ ...service, connectTimeout: '10 seconds' });
  try {
    const { serverVersion: version } = await connection.workflowService.getSystemInfo({});
    if (!isTooOld(version)) await connection.workflowService.describeNamespace({ namespace });
    return version;
  } finally {
    await connection.close();
  }
}

// A cluster that does not report its version is accepted.
function isTooOld(version: string): boolean {
  return version !== '' && compareVersions(version, OLDEST_SERVER) < 0;
}

function loadChosenConfig(profile: string | undefined): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig(profile === undefined ? {} : { profile });
  } catch (error) {
    throw new Error(
      `Temporal's configuration cannot be used (${error instanceof Error ? error.message : String(error)}). Check --profile, the variables that begin with TEMPORAL_, and the file named by TEMPORAL_CONFIG_FILE. To use the embedded Temporal server, leave out --profile and unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE.`,
      { cause: error },
    );
  }
}
