/** A prior session as the log in a prompt tells it. */
export interface LoggedSession {
  /** The opening request; of a summary, the context. */
  readonly about: string;
  /** What the user said after that; of a summary, the preferences. */
  readonly remarks: readonly string[];
}

/** The sessions of a log of dialogues or of summaries, in their order; none where the text is no log. */
export function readLog(log: string): LoggedSession[] {
  return sessionTexts(log).map(sessionIn);
}

/**
 * The text under each `### Session k`. Such a heading counts when its number is next and a rule stands before it: messages may
 * hold headings too.
 */
function sessionTexts(log: string): string[] {
  const sessions: string[][] = [];
  let before = RULE;
  for (const line of log.split(/\r?\n/)) {
    if (before === RULE && line.trim() === `### Session ${sessions.length + 1}`) sessions.push([]);
    else sessions.at(-1)?.push(line);
    before = line.trim() === '' ? before : line.trim();
  }
  return sessions.map((lines) =>
    lines
      .join('\n')
      .trim()
      .replace(/\n-{3}$/, ''),
  );
}

/** Between two sessions. */
const RULE = '---';

function sessionIn(text: string): LoggedSession {
  const sections = sectionsOf(text);
  const contentsOf = (title: string) => sections.filter((one) => one.title === title);
  const context = contentsOf('Context');
  if (context.length > 0) {
    return {
      about: context.flatMap(({ content }) => itemsOf(content)).join('; '),
      remarks: contentsOf('Preferences').flatMap(({ content }) => itemsOf(content)),
    };
  }
  const [about = text, ...remarks] = contentsOf('User').map(({ content }) => content);
  return { about, remarks };
}

function sectionsOf(text: string): { title: string; content: string }[] {
  const [, ...parts] = text.split(/^#### (User|AI Assistant|Context|Preferences)[ \t]*$/m);
  return parts.flatMap((title, place) =>
    place % 2 === 0 ? [{ title, content: (parts[place + 1] ?? '').trim() }] : [],
  );
}

function itemsOf(content: string): string[] {
  return content.split('\n').flatMap((line) => /^\s*-\s+(.*\S)/.exec(line)?.[1] ?? []);
}
