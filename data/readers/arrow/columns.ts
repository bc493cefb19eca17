import { DataType, type Field, type Schema, Type } from 'apache-arrow';
import type { ColumnForm, FileColumn } from '../row';

/** Lists the columns of an Arrow schema, in its order. */
export function listSchemaColumns({ fields }: Pick<Schema, 'fields'>): FileColumn[] {
  return fields.map((field: Field) => ({ name: field.name, form: getForm(field.type) }));
}

function getForm(type: DataType): ColumnForm {
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type))
    return { kind: 'text' };
  if (DataType.isInt(type)) return { kind: 'whole number' };
  if (DataType.isFloat(type)) return { kind: 'fraction' };
  if (DataType.isBool(type)) return { kind: 'truth value' };
  if (DataType.isNull(type)) return { kind: 'nothing' };
  if (DataType.isDictionary(type)) return getForm(type.dictionary);
  if (DataType.isStruct(type))
    return { kind: 'struct', fields: listSchemaColumns({ fields: type.children }) };
  if (DataType.isList(type) || DataType.isLargeList(type) || DataType.isFixedSizeList(type)) {
    return { kind: 'list', of: getForm(type.children[0]?.type) };
  }
  return { kind: 'other', name: Type[type.typeId].toLowerCase() };
}
