/** The numbers of the items that a section "Selected Checklist Items" names, in whatever way it lists them. */
export function listSelectedItems(section: string): number[] {
  const bare = section
    // No expression of the module: workflows share one, frozen.
    .replaceAll(/\b(?:not |partly |partially )?(?:dis|un)?satisfied\b/gi, ' ')
    .replaceAll(/\bitems?\b|\band\b/gi, ' ');
  const leading = bare
    .split('\n')
    .flatMap((line) => /^\W*(\d+(?:[^\w\n]+\d+)*)/.exec(line)?.[1]?.match(/\d+/g) ?? []);
  const judged = [
    ...section.matchAll(/\b(\d+)\b[ .:()*_–—-]{0,5}(?=(?:not |partly |partially )?(?:dis|un)?satisfied\b)/gi),
  ];
  const numbers = [...leading, ...judged.flatMap(([, number]) => number ?? [])].map(Number);
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}
