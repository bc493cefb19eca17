const MOST_WORDS = 25;
const FIRST_WORDS = /^(What|Of|Where|Without)$/;

/** A function declaration, a method, a method of a type, or a constant that is a function, as it begins after its comment. */
const FUNCTION =
  /^\s*((export |default |async |private |public |static |override |get )*(function\b|\*?#?\w+(<[^>\n]*>)?\()|(export )?const \w+(: [^=]+)? = (async )?(\(|\w+ =>)(?=[\s\S]*?=>))/;

/** These end in s as verbs in the third person do. */
const NOUNS = new Set(
  `Answers Bytes Cores Columns Dialogues Entries Its Lines Matchers Messages Milliseconds Offsets Personas Pieces Pixels Positions
  Providers Rows Seconds Sentences Series Sessions Sides Squares This Tokens Types Values Words`.split(/\s+/),
);

/** A text of fewer words is a name, a value or a part of a sentence. */
const LEAST_WORDS = 4;

/** Slips of spelling and grammar that a pattern finds, each with what to do. */
const SLIPS = [
  [/\b(the|an?|of|to|is|in|it|and|or|for|with|from|not|was|are|be|by|on|at) \1\b/, 'Write the word once.'],
  [/\ba (?=[aeio][a-z])(?!(?:one|once|is|as|about)\b)[a-z]+/, 'Write "an".'],
  [/\ban (?=[bcdfgjklmnpqrstvwxyz][aeiouy])[a-z]+/, 'Write "a".'],
  [/\b(?:can not|could of|should of|more then|less then)\b/, 'Correct it.'],
  [
    /\b(?:(?:behavi|col|fav|hon|neighb)our|(?:organ|recogn|real|summar|normal|optim|initial)is(?:e|ed|es|ing)\b|analys(?:e|ed|ing)\b|licence|whilst|[Jj]udgement|[Ll]abell|any more(?= ?[.,;:]|$)|learnt|travell|modell)[a-z]*/,
    'Write it as in American English.',
  ],
];

/**
 * The linter's rules. `comments/plain`: comments that are read once; that of a function begins with a verb. `comments/spelling`: slips in
 * comments and in texts that a program prints.
 */
module.exports = {
  meta: { name: 'comments' },
  rules: { plain: { create: createRule }, spelling: { create: createSpellingRule } },
};

function createRule(context) {
  const { text } = context.sourceCode;
  return {
    Program() {
      for (const comment of joinLines(context.sourceCode.getAllComments(), text)) {
        for (const message of findProblems(comment, text)) context.report({ node: comment.node, message });
      }
    },
  };
}

function createSpellingRule(context) {
  const { text } = context.sourceCode;
  const check = (node, prose) => {
    for (const message of findSlips(prose)) context.report({ node, message });
  };
  return {
    Program() {
      for (const { node, prose } of joinLines(context.sourceCode.getAllComments(), text)) check(node, prose);
    },
    Literal(node) {
      if (typeof node.value === 'string') check(node, node.value);
    },
    TemplateElement(node) {
      check(node, node.value.cooked ?? '');
    },
    JSXText(node) {
      check(node, node.value);
    },
  };
}

/** Yields the slips in a text, unless it is too short to be a sentence. */
function* findSlips(prose) {
  if (prose.trim().split(/\s+/).length < LEAST_WORDS) return;
  for (const [pattern, advice] of SLIPS) {
    const slip = pattern.exec(prose)?.[0];
    if (slip !== undefined) yield `"${slip}" is a slip. ${advice}`;
  }
}

/** Joins line comments on successive lines, because they are read as one text. */
function joinLines(comments, text) {
  const joined = [];
  for (const node of comments) {
    const { type, value, range } = node;
    const [start, end] = range;
    const last = joined.at(-1);
    const isNext = last?.isAlone && type === 'Line' && /^\n[ \t]*$/.test(text.slice(last.end, start));
    if (isNext) Object.assign(last, { prose: `${last.prose} ${value.trim()}`, end });
    else {
      const isAlone = type === 'Line' && /(^|\n)[ \t]*$/.test(text.slice(0, start));
      joined.push({ node, isAlone, isDoc: value.startsWith('*'), prose: readProse(value), end });
    }
  }
  return joined;
}

/** Reads the text before the first tag. A code span counts as one word. */
function readProse(value) {
  const [prose] = value.replaceAll(/^[ \t]*\*+ ?/gm, '').split(/^@\w/m);
  return prose.replaceAll(/`[^`]*`/g, '`code`').trim();
}

function* findProblems({ isDoc, prose, end }, text) {
  const [first] = prose.split(/[\s,;:]/);
  if (FIRST_WORDS.test(first)) yield `The comment begins with "${first}". Begin with a verb or a noun.`;
  else if (isDoc && prose !== '' && FUNCTION.test(text.slice(end, end + 400)) && !isVerb(first)) {
    yield `The comment of a function begins with "${first}". Begin with a verb, such as "Reads" or "Returns".`;
  }
  for (const sentence of prose.split(/(?<=[.!?:;])\s+|\n\s*(?=-|\n)/)) {
    const { length } = sentence.trim().split(/\s+/);
    if (length > MOST_WORDS)
      yield `A sentence has ${length} words, more than ${MOST_WORDS}: "${sentence.slice(0, 50)} …".`;
  }
}

function isVerb(word) {
  return /^[A-Z][a-z-]*s$/.test(word) && !NOUNS.has(word);
}
