import { CAREER_LEVELS, type PersonaTemplate } from '../../schemas/dataset/persona';

type CareerLevel = PersonaTemplate['career_level'];

const [ENTRY, MIDDLE, SENIOR] = CAREER_LEVELS;

/**
 * Returns the career levels (paper, table 5) that a seed sentence allows: a student is no lead, and a retired person neither a beginner nor a
 * lead. The paper draws them independently of the sentence. The first rule that applies decides; without one, all levels are allowed.
 */
export function listCareerLevels(seed: string): readonly CareerLevel[] {
  // A clause after "who" is often about others: "who teaches a student".
  const [person = seed] = seed.normalize('NFC').split(/\b(?:who|whose|whom|that|which)\b/i, 1);
  return (
    LEVELS_BY_WORDS.find(([words, , usesWholeSeed]) =>
      words.test(usesWholeSeed === true ? seed : person),
    )?.[1] ?? CAREER_LEVELS
  );
}

/** Excludes other people: "his apprentice", "once an intern", "a grandson of a student". */
const OTHERS =
  "(?<!\\b(?:his|her|their|its|my|our|one|two|each|every|former|formerly an?|once an?|was an?|been an?|(?:of|for|with|by|to|from|hires?|mentors?|supervises?|teach(?:es|ing)?|train(?:s|ing)?)(?: an?)?)(?: [\\w-]+)? )(?<!['’]s? )";

/** Words, the levels that they allow, and whether they may occur anywhere in the sentence. */
const LEVELS_BY_WORDS: readonly (readonly [RegExp, readonly CareerLevel[], true?])[] = [
  [
    new RegExp(
      `${OTHERS}\\b(?:student|pupil|trainee|apprentice|intern|cadet|undergraduate|novice|rookie)\\b(?!['’]|-| (?:advis[eo]r|affairs|council|counsel|debt|degree|dropout|housing|loan|newspaper|services|support|union))`,
      'i',
    ),
    [ENTRY],
  ],
  [
    /\b(?:(?:an|the|this) aspiring|beginner|early[- ]career|entry-level|just starting|newly (?:certified|graduated|licensed|qualified|registered|trained)|fresh out of|recent (?:[\w-]+ )?graduate|recently graduated|just (?:graduated|qualified)|first-year|junior (?!college|high|school))/i,
    [ENTRY],
  ],
  [/\bsemi-retired\b/i, [MIDDLE, SENIOR]],
  // A second career may be at any level: "a retired officer turned barista".
  [/\bretire[ed]\b.*\bturned\b/i, CAREER_LEVELS],
  [/(?<!\b(?:his|her|their|its|of|for|with|by|from) )(?<!['’]s? )\bretire[de]\b/i, [MIDDLE]],
  [
    new RegExp(
      `${OTHERS}\\b(?:senior|chief|head) (?!of state|in |to |scar|care|center|centre|citizen|high|home|living|student|year)`,
      'i',
    ),
    [SENIOR],
  ],
  [
    /\b(?:accomplished|award-winning|CEO|elderly|experienced|judge|lifelong|long-?time|oldest|professor|renowned|seasoned|surgeon|veteran)\b/i,
    [MIDDLE, SENIOR],
  ],
  [
    /\b(?:decades|(?:[1-6]\d|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six)ty(?:-\w+)?) years|(?:before|into) retirement|^retirement is)/i,
    [MIDDLE, SENIOR],
    true,
  ],
];
