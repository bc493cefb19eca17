import { findDamage, isDatabaseAtFault, isUnwritable } from '../../../../workers/server/engine';

const MALFORMED =
  'level=ERROR msg="failed starting server: unable to create SQLite admin DB: database disk image is malformed (11)"';

test.each([
  [MALFORMED, 'database disk image is malformed'],
  ['unable to open: file is not a database (26)', 'file is not a database'],
  ['malformed database schema (executions) - near "x"', 'malformed database schema'],
  ['database or disk is full (13)', undefined],
  ['listen tcp 127.0.0.1:7233: bind: address already in use', undefined],
  ['', undefined],
])('the log line %j means damage: %s', (line, words) => {
  expect(findDamage(line)).toBe(words);
});

test('a write that failed is told apart from a read that failed', () => {
  const line = 'level=ERROR msg="Operation failed." error="UpdateWorkflow failed. Error: disk I/O error';
  expect([778, 266].map((code) => isUnwritable(`${line} (${code})"`))).toEqual([true, false]);
});

test.each([
  ['names damage', MALFORMED, 0, true],
  ['fails without a reason', 'panic: runtime error: index out of range', 2, false],
  ['fails without a reason again and again', 'panic: runtime error: index out of range', 3, true],
  ['has no space, which may come back', 'database or disk is full (13)', 9, false],
])('a server that %s gets a new database: case %#', (_, lines, tries, expected) => {
  expect(isDatabaseAtFault(lines, tries)).toBe(expected);
});
