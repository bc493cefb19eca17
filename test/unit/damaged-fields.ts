import type * as z from 'zod';
import { describeIssues } from '../../schemas/text/issues';
import { formatFieldName } from '../../schemas/text/field-path';

type Path = readonly (string | number)[];

/** A field that is missing, or has another type, and what a schema says about the value with it. */
interface DamagedField {
  /** Path of the field, as in messages. */
  readonly field: string;
  readonly change: 'missing' | 'retyped';
  /** Undefined if the schema accepts the value. */
  readonly problem: string | undefined;
}

/**
 * Parses a JSON value with each field damaged in turn: removed from its object, and with another type. Lists keep one entry of each form. Of
 * fields that differ only in their places in lists, one of each type is damaged.
 */
export function listDamaged(schema: z.ZodType, name: string, value: unknown): DamagedField[] {
  const copy = dropAlike(value);
  const check = (): string | undefined => {
    const { error } = schema.safeParse(copy);
    return error && describeIssues(name, error, copy);
  };
  const shapes = new Map<string, Place>();
  for (const place of listPlaces(copy, [])) shapes.set(formatShape(place), place);
  return [...shapes.values()].flatMap(({ holder, path }) => {
    const key = path.at(-1) ?? '';
    const field = formatFieldName(path);
    const kept: unknown = Reflect.get(holder, key);
    Reflect.set(holder, key, retype(kept));
    const damaged: DamagedField[] = [{ field, change: 'retyped', problem: check() }];
    if (!Array.isArray(holder)) {
      Reflect.deleteProperty(holder, key);
      damaged.push({ field, change: 'missing', problem: check() });
    }
    Reflect.set(holder, key, kept);
    return damaged;
  });
}

/** Copies a JSON value, with one entry of each form in its lists. */
function dropAlike(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, dropAlike(inner)]));
  }
  const entries = value.map((entry: unknown) => dropAlike(entry));
  return [...new Map(entries.map((entry) => [formatTypes(entry), entry])).values()];
}

function formatTypes(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'object' ? inner : typeof inner));
}

interface Place {
  readonly holder: object;
  readonly path: Path;
}

function* listPlaces(holder: unknown, above: Path): Generator<Place> {
  if (typeof holder !== 'object' || holder === null) return;
  for (const [key, value] of Object.entries(holder)) {
    const path = [...above, Array.isArray(holder) ? Number(key) : key];
    yield { holder, path };
    yield* listPlaces(value, path);
  }
}

/** Formats the path without places in lists, and the type of its value. */
function formatShape({ holder, path }: Place): string {
  const value: unknown = Reflect.get(holder, path.at(-1) ?? '');
  const type = Array.isArray(value) || value === null ? JSON.stringify(value).slice(0, 1) : typeof value;
  return JSON.stringify([path.map((part) => (typeof part === 'number' ? 0 : part)), type]);
}

/** Returns a value of a type that a field with this value never has. */
function retype(value: unknown): unknown {
  if (value === null) return [];
  return typeof value === 'number' || typeof value === 'object' ? 'retyped' : 7;
}
