import { isIP } from 'node:net';

interface ClusterAddress {
  readonly host: string;
  readonly port: number;
}

/** @throws Error when a cluster's address is not of the form HOST:PORT */
export function parseClusterAddress(address: string): ClusterAddress {
  const { ip, name, port } = ADDRESS.exec(address)?.groups ?? {};
  const host = ip ?? name;
  if (host === undefined || !(Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new Error(
      `The address of the Temporal cluster, "${address}", is not of the form HOST:PORT. Correct TEMPORAL_ADDRESS, or the address of the profile, for example: temporal.example:7233`,
    );
  }
  return { host, port: Number(port) };
}

/** An IPv6 address is in brackets. */
const ADDRESS = /^(?:\[(?<ip>[\da-f:.]+)\]|(?<name>[^:/[\]\s]+)):(?<port>\d{1,5})$/i;

/** Returns whether data sent to a host stay on this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
