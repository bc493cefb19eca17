import { isLoopback, parseClusterAddress } from '../../../../workers/server/cluster-address';

test.each([
  ['temporal.example:7233', 'temporal.example', 7233],
  ['127.0.0.1:65535', '127.0.0.1', 65_535],
  ['[::1]:7233', '::1', 7233],
])('%s is the address of a cluster', (address, host, port) => {
  expect(parseClusterAddress(address)).toEqual({ host, port });
});

test.each([
  'localhost',
  '127.0.0.1',
  '[::1]',
  '::1:7233',
  'http://a:7233',
  'a:0',
  'a:65536',
  'a:b',
  ':7233',
  '',
])('"%s" is none, and the message names where it is set', (address) => {
  expect(() => parseClusterAddress(address)).toThrow(
    /"[^"]*", is not of the form HOST:PORT\. Correct TEMPORAL_ADDRESS, or the address of the profile/,
  );
});

test.each([
  ['localhost', true],
  ['127.0.0.2', true],
  ['::1', true],
  ['127.example.com', false],
  ['localhost.example.com', false],
  ['10.0.0.1', false],
  ['::', false],
])('whether %s is this machine: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
