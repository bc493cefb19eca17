import { findWishes } from './feedback';
import { findName, readLog, type LoggedSession } from './log';

/** Reads the history in a prompt: the sessions of a log, or what a memory system wrote in a layout of its own. */
export function readHistory(text: string): LoggedSession[] {
  const sessions = readLog(text);
  return sessions.length > 0 ? sessions : readNotes(text);
}

/**
 * Reads a text without a known layout. Each of the user's messages, and each line outside of messages, is a remark. One that names somebody or
 * something starts a new topic, like the opening request of a session. Topics that name nothing and reveal no wish are left out.
 */
function readNotes(text: string): LoggedSession[] {
  const topics: { about: string; remarks: string[] }[] = [];
  for (const remark of listRemarks(text)) {
    const topic = topics.at(-1);
    if (topic === undefined || isTopic(remark)) topics.push({ about: remark, remarks: [remark] });
    else topic.remarks.push(remark);
  }
  return topics.filter(
    ({ about, remarks }) =>
      findName(about) !== undefined || remarks.some((remark) => findWishes(remark).length > 0),
  );
}

function listRemarks(text: string): string[] {
  const remarks: string[] = [];
  let speaker: 'user' | 'other' | undefined;
  for (const line of text.split(LINE_END)) {
    const [label = '', name] = SPEAKER.exec(line) ?? [];
    if (name !== undefined) {
      speaker = USERS.has(name.toLowerCase()) ? 'user' : 'other';
      if (speaker === 'user') remarks.push(line.slice(label.length).trim());
    } else if (SEPARATOR.test(line)) {
      speaker = undefined;
      remarks.push(line);
    } else if (speaker === 'user') {
      // A message may have several lines.
      remarks.push(`${remarks.pop() ?? ''}\n${line}`.trim());
    } else if (speaker === undefined && line.trim() !== '') {
      remarks.push(line);
    }
  }
  return remarks;
}

/** The end of a line; messages as JSON may be on one line. */
const LINE_END = /\r?\n|(?=\{"role")/;

/** The name of a speaker before a message: `user: …`, `**Human** (10:15):`, `### AI Assistant`, `{"role": "user", …`. */
const SPEAKER =
  /^[^\p{L}]*(?:role\P{L}+)?(user|human|customer|client|ai assistant|assistant|ai|agent|bot|model|system)(?:\s*\([^)]*\))?\s*(?:["*_\]]*[:,]|["*_\]]*\s*$)/iu;
const USERS: ReadonlySet<string> = new Set(['user', 'human', 'customer', 'client']);

/** The end of a message: a rule, or the heading of a session. */
const SEPARATOR = /^\s*(?:-{3,}|={3,}|\*{3,})\s*$|^\W*(?:session|conversation|dialogue|chat)\b[^.!?]*$/i;

function isTopic(remark: string): boolean {
  return LABEL.test(remark) || SEPARATOR.test(remark) || findName(remark) !== undefined;
}

/** A heading, or a label before a colon, such as `## The Boathouse` or `- Boathouse: …`. */
const LABEL = /^\s*(?:#+\s|(?:[-*•]\s+)?\*{0,2}\p{Lu}[^.!?:\n]{0,60}:)/u;
