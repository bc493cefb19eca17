/** Returns the width of results on a terminal, in columns. @param otherwise the width in a pipe or a file */
export function getWidth(otherwise = Number.POSITIVE_INFINITY): number {
  return process.stdout.isTTY ? getColumns(process.stdout) : otherwise;
}

/** Returns the columns of a terminal without the last one, after which some terminals begin another row. */
export function getColumns({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number {
  return Math.max(20, (columns || 80) - 1);
}
