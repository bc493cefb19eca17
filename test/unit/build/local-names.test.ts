import { lintNode, type LintRule } from './lint-rule';

const names: { readonly rules: { readonly nouns: LintRule } } = require('../../../build/local-names.js');

/** Returns what the linter says of a declaration. */
function lint(file: string, id: object): string[] {
  return lintNode(names.rules.nouns, file, 'VariableDeclarator', { id });
}

const identify = (name: string) => ({ type: 'Identifier', name });

/** Builds the pattern of `const { other } = …`, or of `const { other: name } = …`. */
const destructure = (name: string) => ({
  type: 'ObjectPattern',
  properties: [{ type: 'Property', shorthand: name === 'other', value: identify(name) }],
});

test.each([
  ['a noun', 'models/call.ts', identify('attempt')],
  ['a field that keeps its name', 'models/call.ts', destructure('other')],
  ['a test', 'test/unit/lines.test.ts', identify('own')],
  ['a file beside all directories', 'jest.config.js', identify('own')],
])('a name is accepted: %s', (_, file, id) => {
  expect(lint(file, id)).toEqual([]);
});

test.each([
  ['a pronoun', identify('own')],
  ['a field that gets another name', destructure('own')],
  ['an element', { type: 'ArrayPattern', elements: [null, identify('own')] }],
  ['further elements', { type: 'RestElement', argument: identify('own') }],
])('a name is rejected: %s', (_, id) => {
  expect(lint('pages/explore/list.ts', id)).toEqual([
    '"own" does not say what it is. Name it by a noun, such as row or attempt (build/local-names.js).',
  ]);
});
