import { type Data, DataType, type RecordBatch } from 'apache-arrow';

/**
 * Computes how much a batch adds to a split's `num_bytes` when `datasets` reads it back. It counts pyarrow's buffers without the additional
 * last offset, without padding, and without the bitmap of structs. An empty batch is never read.
 * @param from the file format: out of Parquet, numbers always have a bitmap of present values
 */
export function computeMemoryBytes(batch: RecordBatch, from: 'parquet' | 'arrow'): number {
  if (batch.numRows === 0) return 0;
  return batch.data.children.reduce((sum, column) => sum + computeColumnBytes(column, from), 0);
}

function computeColumnBytes(column: Data, from: 'parquet' | 'arrow'): number {
  const { length, type } = column;
  const bitmap = Math.ceil(length / 8);
  const presence = column.nullCount > 0 ? bitmap : 0;
  const offsets = length * Int32Array.BYTES_PER_ELEMENT;
  if (DataType.isUtf8(type)) return presence + offsets + Number(column.valueOffsets[length] ?? 0);
  if (DataType.isBool(type)) return presence + bitmap;
  if (DataType.isInt(type) || DataType.isFloat(type)) {
    return (from === 'parquet' ? bitmap : presence) + length * Float64Array.BYTES_PER_ELEMENT;
  }
  const childBytes = column.children.reduce((sum, child) => sum + computeColumnBytes(child, from), 0);
  return DataType.isList(type) ? presence + offsets + childBytes : childBytes;
}
