/** Reads the rows of all tables of a page: the text of each cell, with its name first. An interval follows its number. */
export function listTableRows(page: string): string[][] {
  return [...page.matchAll(/<tr[^>]*>(?<row>[^]*?)<\/tr>/g)].map(({ groups }) =>
    [...(groups?.['row'] ?? '').matchAll(/<t[dh][^>]*>(?<cell>[^]*?)<\/t[dh]>/g)].map((match) =>
      (match.groups?.['cell'] ?? '')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  );
}

/** Leaves out the elements that isolate the direction of a text. */
export function omitIsolation(page: string): string {
  return page.replaceAll(/<\/?bdi[^>]*>/g, '');
}
