import { createRequire } from 'node:module';

const { parseSync } = createRequire(import.meta.url)('@swc/core');

const OPERATORS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-='],
  '-=': ['+='],
};
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min' };
const REMOVED_METHODS = new Set(['filter', 'slice', 'toSorted', 'toReversed', 'trim', 'toLowerCase']);
const CALLS = new Set(['CallExpression', 'YieldExpression', 'AwaitExpression', 'AssignmentExpression']);
const SKIPPED = /^(Import|ExportAll|ExportNamed|Ts(?!AsExpression|ConstAssertion|NonNull|Satisfies))/;
const SKIPPED_KEYS = /^(span|typeAnnotation|returnType|type(Parameters|Params|Arguments)|key)$/;

/** Lists the mutants of a TypeScript file; each replaces the bytes from `start` to `end`. Hardly any test misses a crude one. */
export function listMutants(file, source) {
  const bytes = Buffer.from(source);
  const mutants = [];
  const cut = (start, end) => bytes.subarray(start, end).toString();
  const textOf = (node) => cut(at(node).start, at(node).end);

  function visit(node) {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (SKIPPED.test(node.type)) return;
    for (const mutant of mutate(node)) {
      const before = cut(mutant.start, mutant.end);
      const line = cut(0, mutant.start).split('\n').length;
      if (before !== mutant.text) mutants.push({ file, line, before, ...mutant });
    }
    for (const [key, child] of Object.entries(node)) {
      if (!SKIPPED_KEYS.test(key) || child?.type === 'Computed') visit(child);
    }
  }

  function mutate(node) {
    const { type, operator, left, right, value, argument, test, consequent, alternate, callee } = node;
    switch (type) {
      case 'BinaryExpression':
      case 'AssignmentExpression': {
        if (operator === '??') return replace(node, textOf(left));
        if (operator === '+' && /^(String|Template)/m.test(`${left.type}\n${right.type}`)) return [];
        const start = at(left).end + cut(at(left).end, at(right).start).indexOf(operator);
        return (OPERATORS[operator] ?? []).map((text) => ({ start, end: start + operator.length, text }));
      }
      case 'UnaryExpression':
        return '!-'.includes(operator) ? replace(node, textOf(argument)) : [];
      case 'UpdateExpression':
        return replace(node, textOf(node).replace(operator, operator === '++' ? '--' : '++'));
      case 'BooleanLiteral':
        return replace(node, String(!value));
      case 'NumericLiteral':
        return [value + 1, value - 1].flatMap((number) => replace(node, `(${number})`));
      case 'StringLiteral':
        // One with a space is a text for people.
        return /\s/.test(value) ? [] : replace(node, value === '' ? "'x'" : "''");
      case 'ConditionalExpression': {
        const text = `${textOf(alternate)} : ${textOf(consequent)}`;
        return [{ start: at(consequent).start, end: at(node).end, text }];
      }
      case 'IfStatement':
        return replace(test, `!(${textOf(test)})`);
      case 'ExpressionStatement':
        return CALLS.has(node.expression.type) ? replace(node, ';') : [];
      case 'ReturnStatement':
        if (!argument) return [];
        if (argument.type === 'ArrayExpression') return replace(argument, '[]');
        return [{ ...at(argument), text: 'undefined', isCrude: true }];
      case 'OptionalChainingExpression':
        return node.optional ? dropQuestionMark(node.base) : [];
      case 'CallExpression': {
        const method = callee.type === 'MemberExpression' ? callee.property.value : '';
        if (REMOVED_METHODS.has(method)) return replace(node, textOf(callee.object));
        return Object.hasOwn(METHODS, method) ? replace(callee.property, METHODS[method]) : [];
      }
      default:
        return [];
    }
  }

  /** Turns `a?.b` into `a.b`, `a?.[b]` into `a[b]` and `a?.(b)` into `a(b)`. */
  function dropQuestionMark({ object, callee, property }) {
    const left = at(object ?? callee).end;
    const start = left + cut(left, bytes.length).indexOf('?.');
    return [{ start, end: start + 2, text: property?.type === 'Identifier' ? '.' : '' }];
  }

  visit(parseSync(source, { syntax: 'typescript', target: 'es2023' }));
  return mutants;
}

/** Returns the place of a node; the parser counts bytes from 1. */
function at({ span }) {
  return { start: span.start - 1, end: span.end - 1 };
}

function replace(node, text) {
  return [{ ...at(node), text }];
}
