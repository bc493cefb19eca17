/**
 * The entries of a checklist as it stands in a prompt, numbered from 1 or as a list of dashes. Lines that begin neither with the
 * next number nor with a dash belong to the entry before them.
 */
export function checklistEntries(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const numbered = /^\s*1[.)]\s/.test(text);
  const entries: string[] = [];
  for (const line of lines) {
    const next = numbered ? new RegExp(`^\\s*${entries.length + 1}[.)]\\s+([^]*)$`) : /^\s*-\s+([^]*)$/;
    const begun = next.exec(line)?.[1];
    if (begun !== undefined) entries.push(begun.trim());
    else if (line.trim() !== '') entries.push(`${entries.pop() ?? ''} ${line.trim()}`.trim());
  }
  return entries;
}
