import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isGrpcServiceError } from '@temporalio/client';
import { parseClusterAddress } from './cluster-address';
import type { Service } from './connection';
import { findProxy } from './proxy';

type ServiceAddress = Service['connection'];

/** Explains why a cluster did not answer, in sentences: what happened, and what to check. */
export async function explainFailure(
  error: unknown,
  service: ServiceAddress,
  address: string,
  namespace: string,
): Promise<string> {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (isGrpcServiceError(cause)) {
    const rejection = describeRejection(cause.code, service, namespace);
    if (rejection !== undefined) return `${removePeriod(cause.details || cause.message)}. ${rejection}`;
  }
  const reason = error instanceof Error ? error.message : String(error);
  const proxy = describeProxy(parseClusterAddress(address).host, process.env);
  return `${removePeriod(reason)}. ${proxy ?? describeProblem(await findErrorCode(service, address), service)}`;
}

/** Describes the proxy before a host; undefined if there is none. */
export function describeProxy(host: string, environment: NodeJS.ProcessEnv): string | undefined {
  const proxy = findProxy(host, environment);
  if (proxy === undefined) return undefined;
  return `Because of the variable ${proxy.variable}, the cluster is reached through a proxy. If it can be reached directly, add ${host} to no_proxy, in lowercase: export no_proxy="${host},$no_proxy". Otherwise check whether the proxy lets gRPC pass (CONNECT).`;
}

function removePeriod(text: string): string {
  return text.replace(/\.$/, '');
}

/** Describes what to check when the cluster rejects a request with a gRPC status. */
function describeRejection(code: number, service: ServiceAddress, namespace: string): string | undefined {
  if (code === 5) {
    return 'Check TEMPORAL_NAMESPACE, or the namespace of the profile. In Temporal Cloud it ends with the account, such as cupid.a1b2c.';
  }
  if (code !== 7 && code !== 16) return undefined;
  if (service.apiKey !== undefined) {
    return `Check that TEMPORAL_API_KEY is complete, has not expired, and may write to namespace ${namespace}.`;
  }
  return getClientCertificate(service) === undefined
    ? 'It needs a login: set TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.'
    : `Check that the client certificate has not expired, and that namespace ${namespace} accepts its authority.`;
}

/** Finds the code of the error with which a connection to the address fails; undefined if it succeeds. */
async function findErrorCode(service: ServiceAddress, address: string): Promise<string | undefined> {
  const { host, port } = parseClusterAddress(address);
  const { tls } = service;
  const isSecure = usesTls(service);
  const settings = typeof tls === 'object' && tls !== null ? tls : {};
  return new Promise((resolve) => {
    const socket = isSecure
      ? connectTls({
          host,
          port,
          ALPNProtocols: ['h2'],
          ...describeServerName(settings.serverNameOverride ?? host),
          ...(settings.serverRootCACertificate ? { ca: Buffer.from(settings.serverRootCACertificate) } : {}),
          ...(settings.clientCertPair
            ? {
                cert: Buffer.from(settings.clientCertPair.crt),
                key: Buffer.from(settings.clientCertPair.key),
              }
            : {}),
        })
      : connectTcp({ host, port });
    const end = (code: string | undefined) => {
      socket.destroy();
      resolve(code);
    };
    // Some servers report a missing certificate only after the handshake.
    socket.once(isSecure ? 'secureConnect' : 'connect', () => setTimeout(() => end(undefined), 1_000));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.setTimeout(5_000, () => end('ETIMEDOUT'));
  });
}

/** Returns the server name (SNI); none for an IP address, which cannot be one. */
function describeServerName(name: string): { readonly servername?: string } {
  return isIP(name) === 0 ? { servername: name } : {};
}

function describeProblem(code: string | undefined, service: ServiceAddress): string {
  if (code === undefined) {
    return usesTls(service)
      ? 'A connection can be made, but what answers is not a Temporal frontend, or it is busy. Check TEMPORAL_ADDRESS, or the address of the profile.'
      : 'A connection can be made, but nothing answers without TLS. If the cluster uses TLS, set TEMPORAL_TLS=true, TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.';
  }
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) {
    return `No host of this name was found (${code}). Check TEMPORAL_ADDRESS, or the address of the profile.`;
  }
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/.test(code)) {
    return getClientCertificate(service) === undefined
      ? `It requires a client certificate (${code}). Set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.`
      : `It rejects the client certificate (${code}). Check TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `Its certificate is for another name (${code}). Set TEMPORAL_TLS_SERVER_NAME to the name in the certificate.`;
  }
  if (/SELF_SIGNED|UNABLE_TO|DEPTH_ZERO/.test(code)) {
    return `Its certificate is of an authority that is not known here (${code}). Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of that authority.`;
  }
  if (/WRONG_VERSION|PACKET_LENGTH/.test(code)) {
    return `It does not use TLS (${code}). Leave out TEMPORAL_API_KEY and the TEMPORAL_TLS_ variables, or check TEMPORAL_ADDRESS.`;
  }
  return `No connection can be made (${code}). Check TEMPORAL_ADDRESS, or the address of the profile, and whether the cluster runs.`;
}

/** Returns whether TLS is used, as the SDK decides: an API key turns it on, unless it is turned off. */
function usesTls({ tls, apiKey }: ServiceAddress): boolean {
  return tls === undefined || tls === null ? apiKey !== undefined : tls !== false;
}

function getClientCertificate({ tls }: ServiceAddress): unknown {
  return typeof tls === 'object' && tls !== null ? tls.clientCertPair : undefined;
}
