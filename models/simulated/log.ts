import { WORLDS } from './vocabulary';

/** An earlier session as shown in a prompt's log. */
export interface LoggedSession {
  /** The opening request; for a summary, the context. */
  readonly about: string;
  /** The user's later messages; for a summary, the preferences. */
  readonly remarks: readonly string[];
}

/** Parses the sessions of a log of dialogues or of summaries, in order; none if the text is no log. */
export function readLog(log: string): LoggedSession[] {
  const sessions: string[][] = [];
  let previous = RULE;
  for (const line of log.split(/\r?\n/)) {
    // Messages may contain such headings too: one counts if its number is next and a rule precedes it.
    if (previous === RULE && line.trim() === `### Session ${sessions.length + 1}`) sessions.push([]);
    else sessions.at(-1)?.push(line);
    previous = line.trim() === '' ? previous : line.trim();
  }
  return sessions.map((lines) =>
    readSession(
      lines
        .join('\n')
        .trim()
        .replace(/\n-{3}$/, ''),
    ),
  );
}

/** Returns the indexes, from 0, of the sessions that mention the request's context factor; all if none does. */
export function findRelevantSessions(request: string, sessions: readonly LoggedSession[]): number[] {
  const name = findFactor(request).replace(/^the /, '');
  const places = sessions.map((_, place) => place);
  const related = places.filter((place) => sessions[place]?.about.includes(name));
  return related.length > 0 ? related : places;
}

/** Returns the subject of the request, in the words for a later mention of it. */
export function findTopic(request: string): string {
  const topic = TOPICS.find((phrase) => request.includes(phrase));
  return topic?.replace(/^an? /, 'the ') ?? 'your request';
}

/** Returns the context factor that a request most likely names. */
export function findFactor(request: string): string {
  return findName(request) ?? 'everyone involved';
}

/** Finds the longest run of capitalized words within a sentence of the first line. */
export function findName(request: string): string | undefined {
  const [text = ''] = request.split('\n');
  const names =
    text.match(
      /(?<=[\p{L},;] )(?:the )?(?:(?:Dr|Mr|Mrs|Ms)\. )?\p{Lu}[\p{L}'’-]+(?: (?:of |for |at |on |and |No\. )*[\p{Lu}\d][\p{L}\d'’-]*)*/gu,
    ) ?? [];
  return names.toSorted((a, b) => b.length - a.length)[0];
}

/** Separates two sessions. */
const RULE = '---';

const TOPICS = WORLDS.flatMap(({ topics }) => topics);

function readSession(text: string): LoggedSession {
  const [, ...parts] = text.split(/^#### (User|AI Assistant|Context|Preferences)[ \t]*$/m);
  const contentsOf = (title: string) =>
    parts.flatMap((part, place) => (place % 2 === 1 && parts[place - 1] === title ? [part.trim()] : []));
  const itemsOf = (title: string) =>
    contentsOf(title)
      .join('\n')
      .split('\n')
      .flatMap((line) => /^\s*-\s+(.*\S)/.exec(line)?.[1] ?? []);
  const context = itemsOf('Context');
  if (context.length > 0) return { about: context.join('; '), remarks: itemsOf('Preferences') };
  const [opening = text, ...remarks] = contentsOf('User');
  return { about: opening, remarks };
}
