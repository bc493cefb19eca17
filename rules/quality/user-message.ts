import { containsRun, splitIntoWords } from '../texts/words';

/**
 * Reports signs that a message was not written by a simulated user: it repeats the opening, sounds like the assistant, reports the evaluation, has
 * no words, or has an unfilled placeholder. The problems have no final full stop.
 * @param opening the user's first message
 */
export function listMessageProblems(message: string, opening: string): string[] {
  const words = splitIntoWords(message);
  const repeated = splitIntoWords(opening);
  if (!WORDS.test(message)) return ['the message has no words'];
  const problems: string[] = [];
  if (repeated.length >= SHORTEST_OPENING && containsRun(words, repeated))
    problems.push('the message repeats the opening request word for word');
  const prose = message.replaceAll(CODE, '');
  if (ASSISTANT_PHRASES.test(message) || ASSISTANT_LABEL.test(prose))
    problems.push('the message speaks as the assistant; write as the user');
  if (META_HEADING.test(prose) || META_VERDICT.test(prose))
    problems.push(
      'the message reports notes or verdicts of the evaluation, which the assistant must not see',
    );
  if (PLACEHOLDERS.test(message)) problems.push('the message has a placeholder that is not filled in');
  return problems;
}

/** A lower-case letter, or one of a script without cases. Marks such as ###STOP### have none. */
const WORDS = /[\p{Ll}\p{Lo}]/u;

/** Openings of this many words or more are no common phrase. */
const SHORTEST_OPENING = 4;

/** Phrases with which assistants deliver a result. */
const ASSISTANT_PHRASES = new RegExp(
  [
    "^(?:certainly|absolutely|of course|sure(?: thing)?|understood|great question)\\s*[!,.:—–-]\\s*(?:here|i(?:'ve|’ve| have)|i(?:'ll|’ll| will)|below|let me)\\b",
    "^here(?:'s|’s| is| are)\\s+(?:the|an?|your|my)\\s+(?:\\w+\\s+)?(?:revised|updated|rewritten|improved|draft|version|response|revision)\\b",
    '\\bas an ai\\b',
    '\\bi hope this (?:helps|meets)\\b',
    "\\blet me know if you(?:'d|’d| would) like\\b",
    "\\bis there anything else (?:i can|you(?:'d|’d| would))\\b",
  ].join('|'),
  'i',
);

/** Code block, whose comments and keys look like headings and labels. */
const CODE = /^ {0,3}```[^]*?(?:^ {0,3}```|$(?![^]))/gm;

/** Label of the assistant's turn at the beginning of a line. Labels of templates have a capital letter; a key of YAML has none. */
const ASSISTANT_LABEL = /^ {0,3}(?:#{1,6} *)?\**(?:(?:AI )?Assistant|ASSISTANT)\**[:：]/m;

/**
 * Heading of a section about the turn itself, with nothing else on its line. One or two `#` may be a comment in code, or belong to a text of the
 * user.
 */
const META_HEADING =
  /^ {0,3}#{3,6}\s+\**(?:notes?|evaluation|verdicts?|scores?|checklist(?: items)?|rationale|decision)\**[:：]?\**\s*$/im;

/** Checklist item with its verdict or score, as in "Item 1: Dissatisfied". Users may number items of their own, and be satisfied with them. */
const META_VERDICT =
  /\bitems? #?\d+\b(?:\**\s*(?:[:=(–—-]|\b(?:is|are|was|were|remains?)\b)\s*\**(?:(?:not|now|still|partly|partially) )?(?:dis|un)?satisfied\b|[^\n]{0,60}\bscore(?: is|:| =)? (?:10|[1-9])\b(?![.,]\d|\s*(?:%|points?\b)))/i;

/** Placeholders of prompts and templates: `[your name]`, `<insert date>`, `{{name}}`. */
const PLACEHOLDERS =
  /\[(?:your|insert|name|company|date|recipient|placeholder|message|item|topic)\b[^\]\n]*\]|<(?:your|insert|the message)\b[^>\n]*>|\{\{[^}\n]*\}\}/i;
