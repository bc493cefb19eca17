import { parsePublicUrl, parseWebAddress } from '../../../cli/options';

test.each([
  ['https://temporal.example.org', 'https://temporal.example.org'],
  ['https://temporal.example.org/ui/', 'https://temporal.example.org/ui'],
  ['http://127.0.0.1:8233', 'http://127.0.0.1:8233'],
])('%s is an address', (text, address) => {
  expect(parseWebAddress(text)).toBe(address);
});

test.each([
  'temporal.example.org',
  'javascript:alert(1)',
  'https://kim:secret@temporal.example.org',
  'https://temporal.example.org/?namespace=a',
  '',
])('%j is none', (text) => {
  expect(() => parseWebAddress(text)).toThrow('Expected an address such as https://');
});

test.each([
  ['hub.example.org'],
  ['ftp://hub.example.org/'],
  ['https://ann:secret@hub.example.org/'],
  ['https://hub.example.org/?a=1'],
])('%s is no address of a proxy', (text) => {
  expect(() => parsePublicUrl(text)).toThrow(
    'Expected an address such as https://hub.example.org/user/ann/proxy/{port}/.',
  );
});
