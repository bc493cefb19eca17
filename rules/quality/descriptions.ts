import { listPresent } from '../../schemas/text/list-present';
import type { PersonaDescription } from '../../schemas/dataset/persona';
import { countWords } from '../texts/words';
import { quoteAnswer } from '../texts/quote-answer';
import { findEarlierDuplicates } from '../texts/near-duplicates';

/** The prompt asks for six sentences on six topics (paper, figure 13): with fewer, a topic is missing. */
const MIN_SENTENCES = 5;

/** Six short sentences have at least 60 words; the paper's persona descriptions have 150 to 250. */
const WORDS = { min: 60, max: 450 } as const;

const MAX_OCCUPATION_WORDS = 5;

/** From this similarity on (share of common three-word sequences), two descriptions are of the same person. */
const SAME_PERSON = 0.3;

/** Names that language models give to characters again and again; a run of thousands would have many people of each name. */
const COMMON_NAMES: ReadonlySet<string> = new Set(
  `sarah chen|marcus chen|elena chen|maya chen|emily chen|david chen|lily chen|wei chen|sarah johnson|marcus johnson|sarah mitchell|
  marcus thompson|james thompson|sarah thompson|elena rodriguez|maria rodriguez|elena vasquez|maya patel|priya patel|raj patel|priya sharma|
  aisha patel|kenji tanaka|yuki tanaka|hiroshi tanaka|amara okafor|marcus williams|elena petrova|maria santos|marco santos|maria garcia|
  sofia rodriguez|james wilson|michael chen|jane doe|john smith|john doe|alex chen|mei lin|mei chen|fatima hassan|amina hassan`
    .split('|')
    .map((name) => name.trim()),
);

/**
 * Reports problems of a batch of descriptions beyond its form (paper, B.1 and figure 13): too short or too long, an occupation that is no job
 * title, an overused name, one person described twice.
 */
export function listDescriptionProblems(personas: readonly PersonaDescription[]): string[] {
  const names = personas.map(({ description }) => findName(description));
  const sameAs = findEarlierDuplicates(
    personas.map(({ description }) => description),
    SAME_PERSON,
  );
  return personas.flatMap(({ description, occupation }, index) => {
    const name = names[index];
    const twinIndex = sameAs[index];
    const problems = listPresent(
      findLengthProblem(description),
      (countWords(occupation) > MAX_OCCUPATION_WORDS || /[/()[\]]/.test(occupation)) &&
        `occupation ${quoteAnswer(occupation)} is no job title of one to four words`,
      name !== undefined &&
        COMMON_NAMES.has(name.toLowerCase()) &&
        `the name ${name} is too common; choose another given name and family name`,
      name !== undefined &&
        names.indexOf(name) < index &&
        `the name ${name} is that of persona ${names.indexOf(name) + 1}, too`,
      twinIndex !== undefined && `the description is nearly that of persona ${twinIndex + 1}`,
    );
    return problems.map((problem) => `persona ${index + 1}: ${problem}`);
  });
}

/** Returns the given name and family name that the description begins with, without a title; undefined if it begins otherwise. */
export function findName(description: string): string | undefined {
  return /^(?:(?:Dr|Prof|Mr|Mrs|Ms)\.?\s+)*(\p{Lu}[\p{L}'’-]+(?:\s+\p{Ll}{2,3}){0,2}\s+\p{Lu}[\p{L}'’-]+)(?=[\s,])/u.exec(
    description.trim(),
  )?.[1];
}

function findLengthProblem(description: string): string | undefined {
  const words = countWords(description);
  if (words < WORDS.min || words > WORDS.max)
    return `the description has ${words} words; it must have ${WORDS.min} to ${WORDS.max}, in six sentences`;
  const sentences = description.split(/[.!?]+["'”’)]*(?:\s+|$)/).filter((sentence) => sentence !== '').length;
  if (sentences >= MIN_SENTENCES) return undefined;
  return `the description has ${sentences} sentences; it must have six, one for each topic`;
}
