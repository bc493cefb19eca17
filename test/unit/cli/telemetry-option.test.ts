import { parseTelemetryAddress } from '../../../cli/options';

test.each([
  ['9464', { host: '127.0.0.1', port: 9464 }],
  ['0.0.0.0:9464', { host: '0.0.0.0', port: 9464 }],
  ['[::]:0', { host: '::', port: 0 }],
  ['worker-1.internal:80', { host: 'worker-1.internal', port: 80 }],
])('%s is an address for metrics', (text, address) => {
  expect(parseTelemetryAddress(text)).toEqual(address);
});

test.each(['', 'localhost', '70000', ':9464', '::1:9464', 'http://localhost:9464'])(
  '"%s" is none',
  (text) => {
    expect(() => parseTelemetryAddress(text)).toThrow(/^Expected a port, such as 9464/);
  },
);
