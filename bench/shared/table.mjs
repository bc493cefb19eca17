/** Prints rows as one Markdown table; the columns are the keys of the first row. */
export function printTable(title, rows) {
  const columns = Object.keys(rows[0]);
  const body = rows.map((row) => line(columns.map((column) => format(row[column]))));
  console.log([title, '', line(columns), line(columns.map(() => '---')), ...body, ''].join('\n'));
}

/** Returns the middle of numbers, the upper one of two. */
export function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
}

function line(cells) {
  return `| ${cells.join(' | ')} |`;
}

function format(value) {
  if (value === undefined) return '–';
  if (typeof value !== 'number') return value;
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
}
