/** Title of the section on the benchmark's configurations. */
export const BENCHMARK_SECTION = 'Benchmark';

/**
 * Returns the card with this section in the place of an earlier one of its title.
 * @param before title of the section that follows it; without that one it stands at the end
 */
export function withSection(card: string, title: string, content: string, before: string): string {
  const bare = removeSection(card, title);
  const section = `## ${title}\n\n${content}\n\n`;
  const at = bare.indexOf(`\n## ${before}\n`);
  return at < 0
    ? `${bare.trimEnd()}\n\n${section.trimEnd()}\n`
    : `${bare.slice(0, at + 1)}${section}${bare.slice(at + 1)}`;
}

export function removeSection(card: string, title: string): string {
  return card.replace(buildPattern(title), '');
}

/** Returns the content of the section with this title; undefined if there is none. */
export function findSection(card: string, title: string): string | undefined {
  return buildPattern(title).exec(card)?.groups?.['content']?.trim();
}

function buildPattern(title: string): RegExp {
  return new RegExp(`^## ${title}\\n\\n(?<content>[\\s\\S]*?)(?:\\n(?=## )|$(?![\\s\\S]))`, 'm');
}
