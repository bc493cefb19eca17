import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataType, type Field } from 'apache-arrow';
import type { Command } from 'commander';
import * as z from 'zod';
import { EXIT } from '../../cli/exit';
import { buildProgram } from '../../cli/program';
import { PLACEHOLDERS } from '../../data/prompts/files';
import * as columns from '../../data/tables/columns';
import { failedReplySchema, memoryMessageSchema, queryReplySchema } from '../../models/memory/messages';
import { validationReportSchema } from '../../schemas/dataset/validation';
import { evaluationFileSchema } from '../../schemas/evaluation/evaluation-run';
import { evaluationResultsSchema, RESULTS_FORMAT } from '../../schemas/evaluation/results';
import { modelTableSchema } from '../../schemas/model/model-table';
import { annotationSchema, reviewPlanSchema } from '../../schemas/review/review';
import { bundleSchema } from '../../schemas/run/bundle';
import { FOLDER_FORMAT } from '../../schemas/run/folder-format';
import { journalEntrySchema } from '../../schemas/run/journal';
import { ledgerLineSchema } from '../../schemas/run/ledger';
import { runFileSchema } from '../../schemas/run/run';
import { evaluationSettingsFileSchema, synthesisSettingsFileSchema } from '../../schemas/run/settings';
import { VERIFICATION_FORMAT, verificationResultsSchema } from '../../schemas/verification/verification';
import { version as packageVersion } from '../../package.json';
import { expectGolden } from '../golden';

/** A part of a JSON schema. */
const nodeSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
});

const FOLDER = `FOLDER_FORMAT ${FOLDER_FORMAT} (schemas/run/folder-format.ts)`;
const RESULTS = `RESULTS_FORMAT ${RESULTS_FORMAT} (schemas/evaluation/results.ts)`;
const VERIFICATION = `VERIFICATION_FORMAT ${VERIFICATION_FORMAT} (schemas/verification/verification.ts)`;
const PACKAGE = `major version ${packageVersion.split('.')[0]} (package.json)`;

/** Every form that others build on: its name, what counts its versions, and its fields, one a line. */
const FORMS: readonly (readonly [name: string, version: string, fields: readonly string[]])[] = [
  ['commands and options', PACKAGE, listOptions(buildProgram(() => undefined))],
  ['exit codes', PACKAGE, Object.entries(EXIT).map(([name, code]) => `${name}: ${code}`)],
  ...Object.entries(columns).map(
    ([name, { fields }]) => [`columns: ${name}`, PACKAGE, listColumns(fields)] as const,
  ),
  ['settings file of synth', PACKAGE, listFields(synthesisSettingsFileSchema)],
  ['settings file of eval and verify', PACKAGE, listFields(evaluationSettingsFileSchema)],
  ['model table', PACKAGE, listFields(modelTableSchema)],
  [
    'prompt pack',
    PACKAGE,
    Object.entries(PLACEHOLDERS).map(([name, places]) => `${name}: ${places.join(' ')}`),
  ],
  ['memory: message', PACKAGE, listFields(memoryMessageSchema)],
  ['memory: reply to a query', PACKAGE, listFields(queryReplySchema)],
  ['memory: reply of a failure', PACKAGE, listFields(failedReplySchema)],
  ['results.json', RESULTS, listFields(evaluationResultsSchema)],
  ['verification.json', VERIFICATION, listFields(verificationResultsSchema)],
  ['validate --json', PACKAGE, listFields(validationReportSchema)],
  ['run.json of a synthesis', FOLDER, listFields(runFileSchema)],
  ['run.json of an evaluation', FOLDER, listFields(evaluationFileSchema)],
  ['plan of a review', FOLDER, listFields(reviewPlanSchema)],
  ['annotation of a review', FOLDER, listFields(annotationSchema)],
  ['journal entry', FOLDER, listFields(journalEntrySchema)],
  ['ledger line', FOLDER, listFields(ledgerLineSchema)],
  ['bundle of a failure', FOLDER, listFields(bundleSchema)],
];

/** Lists columns with their types, such as `items[].role: Utf8`, a line each, so that a field may be added to a nested one. */
function listColumns(fields: readonly Field[], path = ''): string[] {
  return fields.flatMap(({ name, type }: Field) => listColumn(`${path}${name}`, type));
}

function listColumn(path: string, type: DataType): string[] {
  if (DataType.isStruct(type)) return listColumns(type.children, `${path}.`);
  const [item] = DataType.isList(type) ? type.children : [];
  return item === undefined ? [`${path}: ${formatType(type)}`] : listColumn(`${path}[]`, item.type);
}

/** Returns the text of a type of Arrow, which each type has, but the base class does not declare. */
function formatType(type: { toString(): string }): string {
  return type.toString();
}

test('forms that others build on change with their version only', () => {
  for (const [name, version, fields] of FORMS) {
    const removed = readFrozen(name, version).filter((field) => !fields.includes(field));
    if (removed.length > 0) {
      throw new Error(
        `${name}: this is gone or changed: ${removed.join('; ')}. Raise ${version}, and read the old form as well (docs/compatibility.md).`,
      );
    }
  }
  expectGolden(
    'frozen-forms.txt',
    FORMS.map(([name, version, fields]) => [`${name}, ${version}`, fields.join('\n')]),
  );
});

/** Reads the frozen fields of a form in this version; none for a new form or version, and before the first release. */
function readFrozen(name: string, version: string): string[] {
  if (version.startsWith('major version 0 ')) return [];
  const file = join(__dirname, '..', 'golden', 'frozen-forms.txt');
  const parts = existsSync(file) ? readFileSync(file, 'utf8').split(/^## /m) : [];
  const part = parts.find((text) => text.startsWith(`${name}, ${version}\n`)) ?? '';
  return part.split('\n').slice(1, -1);
}

function listOptions(program: Command): string[] {
  return program.commands.flatMap((command) => {
    const inputs = command.registeredArguments.map((input) => {
      const name = `${input.name()}${input.variadic ? '...' : ''}`;
      return input.required ? `<${name}>` : `[${name}]`;
    });
    const options = command.options.filter(({ hidden }) => !hidden).map(({ flags }) => flags);
    return [[command.name(), ...inputs].join(' '), ...options.map((flags) => `${command.name()} ${flags}`)];
  });
}

/** Lists the fields of a schema with their types or values, such as `cells[].model: string`, a line each. An optional one has a question mark. */
function listFields(schema: z.ZodType): string[] {
  return listJsonFields(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), '');
}

function listJsonFields(json: unknown, path: string): string[] {
  const node = typeof json === 'boolean' ? {} : nodeSchema.parse(json);
  const parts = node.anyOf ?? node.oneOf;
  if (parts !== undefined) return [...new Set(parts.flatMap((part) => listJsonFields(part, path)))];
  if (node.properties !== undefined) {
    const required = new Set(node.required);
    return Object.entries(node.properties).flatMap(([name, field]) =>
      listJsonFields(field, `${path === '' ? '' : `${path}.`}${name}${required.has(name) ? '' : '?'}`),
    );
  }
  if (node.type === 'array') return listJsonFields(node.items ?? {}, `${path}[]`);
  if (typeof node.additionalProperties === 'object')
    return listJsonFields(node.additionalProperties, `${path}{}`);
  const values = node.enum ?? ('const' in node ? [node.const] : undefined);
  const types = values?.map((value) => JSON.stringify(value)) ?? [node.type ?? 'any'].flat();
  return types.map((type) => `${path}: ${type}`);
}
