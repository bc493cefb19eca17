import { readPythonLiteral, type PythonValue } from './python-literal';

/** What the describe step knows of a persona. */
export interface Template {
  readonly seed: string;
  readonly career: string;
  readonly traits: readonly string[];
  readonly values: readonly string[];
  readonly style: string;
}

/** A line `k. {…}`; anything else is taken as a seed sentence alone, because a prompt pack may lay templates out its own way. */
export function readTemplate(line: string): Template {
  const text = line.replace(/^\s*(?:\d+\.|-)\s*/, '');
  const fields = text.startsWith('{') ? readPythonLiteral(text) : new Map([['seed', text]]);
  const field = (name: string): PythonValue => (fields instanceof Map ? fields.get(name) : undefined) ?? '';
  return {
    seed: textOf(field('seed')),
    career: textOf(field('career_level')),
    traits: textsOf(field('personality_traits')),
    values: textsOf(field('personal_values')),
    style: textOf(field('decision_making_styles')),
  };
}

function textOf(value: PythonValue): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: PythonValue): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}
