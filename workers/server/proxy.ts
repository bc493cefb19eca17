import { BlockList, isIPv4 } from 'node:net';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { isLoopback } from './cluster-address';

/**
 * Finds the proxy before a host by the rules of gRPC in Node.js, which clients use: workers, whose connections are not Node's, follow the
 * same. Undefined if there is none.
 */
export function findProxy(
  host: string,
  environment: NodeJS.ProcessEnv,
): { readonly variable: string; readonly url: URL } | undefined {
  const variable = VARIABLES.find((name) => (environment[name] ?? '') !== '');
  if (variable === undefined || isLoopback(host) || isExcepted(host, environment)) return undefined;
  const address = environment[variable] ?? '';
  // gRPC ignores an invalid address, and a proxy behind TLS.
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return url.protocol === 'http:' ? { variable, url } : undefined;
}

/** In gRPC's order; it ignores those in capital letters. */
const VARIABLES = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const;

function isExcepted(host: string, environment: NodeJS.ProcessEnv): boolean {
  const exceptions = environment['no_grpc_proxy'] || environment['no_proxy'];
  return (
    exceptions !== undefined &&
    exceptions.split(',').some((part) => host.endsWith(part) || isInSubnet(host, part))
  );
}

/** Returns whether an address is in a subnet such as `10.0.0.0/8`. */
function isInSubnet(host: string, subnet: string): boolean {
  const [network = '', prefix = ''] = subnet.split('/');
  if (!isIPv4(host) || !isIPv4(network) || !/^(?:\d|[12]\d|3[0-2])$/.test(prefix)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix));
  return list.check(host);
}

/** Returns the proxy before a host as the SDK's option for workers. */
export function chooseWorkerProxy(
  host: string,
  environment: NodeJS.ProcessEnv,
): Pick<NativeConnectionOptions, 'proxy'> {
  const url = findProxy(host, environment)?.url;
  if (url === undefined) return {};
  const [username, password] = [url.username, url.password].map(decodeURIComponent);
  return {
    proxy: {
      type: 'http-connect',
      targetHost: `${url.hostname}:${url.port || '80'}`,
      ...(username ? { basicAuth: { username, password: password ?? '' } } : {}),
    },
  };
}
