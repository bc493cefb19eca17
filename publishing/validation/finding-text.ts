import type { Finding } from '../../schemas/dataset/validation';

/** Formats a finding on one line: `file, row N (persona/type), field: message`, as far as it has these. */
export function describeFinding({
  file,
  row,
  persona_id: persona,
  instance_type: type,
  field,
  message,
}: Finding): string {
  const key = [persona, type].filter((part) => part !== undefined).join('/');
  const word = /\.(jsonl|ndjson)$/i.test(file) ? 'line' : 'row';
  const place = [file, ...(row === undefined ? [] : [`${word} ${row}`])].join(', ');
  return `${place}${key === '' ? '' : ` (${key})`}${field === undefined ? '' : `, ${field}`}: ${message}`;
}
