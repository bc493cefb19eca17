/** A text as a YAML scalar after `key:`: on one line in double quotes, or as a block where it has several lines. */
export function yamlText(text: string, indent: string): string {
  if (!text.includes('\n') || /^\s|\s$|[^\S\n]\n/.test(text)) return JSON.stringify(text);
  const lines = text.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`));
  return `|-\n${lines.join('\n')}`;
}
