import { Bool, type DataType, Field, Float64, Int64, List, Schema, Struct, Utf8 } from 'apache-arrow';
import * as z from 'zod';
import { choiceQuestionSchema, generationQuestionSchema } from '../../schemas/dataset/benchmark';
import { evaluationRowSchema } from '../../schemas/evaluation/evaluation';
import { instanceSchema } from '../../schemas/dataset/instance';
import { provenanceSchema } from '../../schemas/dataset/provenance';
import { personaRecordSchema } from '../../schemas/dataset/record';
import { personaSchema } from '../../schemas/dataset/persona';
import { labelRowSchema, replayRowSchema } from '../../schemas/dataset/replay';
import {
  answerPairRowSchema,
  chatRowSchema,
  responsePairRowSchema,
  turnRowSchema,
} from '../../schemas/training/training';
import { auditRowSchema } from '../../schemas/review/review';
import { verificationRowSchema } from '../../schemas/verification/verification';

/**
 * The columns of a data set whose rows are of this type, derived from the zod schema of the row. Parquet and Arrow are both written from
 * them, so the two files agree. All are nullable; absent and null are the same.
 */
export type Columns<Row> = Schema<{ [Name in keyof Row & string]-?: DataType }>;

/** CUPID and CUPID-Unverified: columns of the published data set, in its order. */
export const INSTANCE_COLUMNS = buildTableColumns(instanceSchema);

/** CUPID-Raw: one row per persona. */
export const RECORD_COLUMNS = buildTableColumns(personaRecordSchema);

/** `provenance.parquet`: origin of each instance. */
export const PROVENANCE_COLUMNS = buildTableColumns(provenanceSchema);

/** `results.parquet` of an evaluation: numbers of each instance in each cell, with the texts they come from. */
export const EVALUATION_COLUMNS = buildTableColumns(evaluationRowSchema);

/** `verification.parquet`: verdicts on each instance, with their evidence. */
export const VERIFICATION_COLUMNS = buildTableColumns(verificationRowSchema);

/** Configurations of a data set that is published as a benchmark. */
export const CHOICE_COLUMNS = buildTableColumns(choiceQuestionSchema);
export const GENERATION_COLUMNS = buildTableColumns(generationQuestionSchema);

export const AUDIT_COLUMNS = buildTableColumns(auditRowSchema);

/** Training data of a run, and of an evaluation. */
export const TURN_COLUMNS = buildTableColumns(turnRowSchema);
export const CHAT_COLUMNS = buildTableColumns(chatRowSchema);
export const ANSWER_PAIR_COLUMNS = buildTableColumns(answerPairRowSchema);
export const RESPONSE_PAIR_COLUMNS = buildTableColumns(responsePairRowSchema);

/** `personas.json` of the reference program. */
export const PERSONA_COLUMNS = buildTableColumns(personaSchema);

/** Files for memory systems. */
export const REPLAY_COLUMNS = buildTableColumns(replayRowSchema);
export const LABEL_COLUMNS = buildTableColumns(labelRowSchema);

function buildTableColumns<Shape extends z.ZodRawShape>(
  row: z.ZodObject<Shape>,
): Columns<z.output<z.ZodObject<Shape>>> {
  const schema: Schema = new Schema(buildFields(row));
  return schema;
}

function buildFields({ shape }: z.ZodObject): Field[] {
  return Object.entries(shape).map(([name, field]) => new Field(name, buildType(name, field), true));
}

/** Builds the Arrow type for values of this schema: a text, a number, a truth value, a list or a struct of these. */
function buildType(name: string, form: z.core.$ZodType): DataType {
  if (form instanceof z.ZodOptional || form instanceof z.ZodNullable || form instanceof z.ZodDefault) {
    return buildType(name, form.unwrap());
  }
  if (form instanceof z.ZodString || form instanceof z.ZodEnum) return new Utf8();
  // Whole numbers have the type that `datasets` and pandas use.
  if (form instanceof z.ZodNumber) return form.isInt ? new Int64() : new Float64();
  if (form instanceof z.ZodBoolean) return new Bool();
  if (form instanceof z.ZodObject) return new Struct(buildFields(form));
  // Parquet's own name for the items of a list; pyarrow, polars and DuckDB accept any.
  if (form instanceof z.ZodArray) return new List(new Field('element', buildType(name, form.element), true));
  throw new Error(`No column can keep ${name}: no type of column has its form.`);
}
