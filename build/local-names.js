const path = require('node:path');

/** Directories beside the program, in which names are free. */
const FREE = ['.ci', 'bench', 'deploy', 'docs', 'test'];

/** Pronouns, participles and adverbs. They name nothing: a reader must find the type to know what the value is. */
const VAGUE = new Set(
  `about above alike another any around asked beside beyond bound compared counted doing done drawn ended followed found given gone held
  here inner judged kept known labeled lacking laid least led look looks lost made matched measured merged more most named nth odd of once
  one other others own passed placed planned posted proposed quoted rated rendered rest said same seen served settled shown so spent
  standing started stated taken their theirs there they together told tried twice typed unknown unread used usual waiting wanted was
  watched what who whole why without written`.split(/\s+/),
);

const FUNCTIONS = [
  'ArrowFunctionExpression',
  'FunctionDeclaration',
  'FunctionExpression',
  'TSDeclareFunction',
  'TSEmptyBodyFunctionExpression',
  'TSFunctionType',
  'TSMethodSignature',
];

/** Yields the identifiers that a pattern declares. A field that keeps its name is named by its type. */
function* listDeclared(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      yield pattern;
      break;
    case 'AssignmentPattern':
      yield* listDeclared(pattern.left);
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) yield* listDeclared(element);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') yield* listDeclared(property);
        else if (!property.shorthand) yield* listDeclared(property.value);
      }
      break;
    case 'RestElement':
      yield* listDeclared(pattern.argument);
      break;
    case 'TSParameterProperty':
      yield* listDeclared(pattern.parameter);
      break;
    default:
  }
}

/** Returns whether the names of a file are checked: those of a directory of the program. */
function isChecked(file) {
  const [directory, ...below] = file.split('/');
  return below.length > 0 && !FREE.includes(directory);
}

function createRule(context) {
  if (!isChecked(path.relative(context.cwd, context.filename).replaceAll(path.sep, '/'))) return {};
  const check = (pattern) => {
    for (const node of listDeclared(pattern)) {
      if (!VAGUE.has(node.name)) continue;
      context.report({
        node,
        message: `"${node.name}" does not say what it is. Name it by a noun, such as row or attempt (build/local-names.js).`,
      });
    }
  };
  const checkParameters = ({ params }) => {
    for (const parameter of params) check(parameter);
  };
  return {
    VariableDeclarator: ({ id }) => check(id),
    CatchClause: ({ param }) => check(param),
    ...Object.fromEntries(FUNCTIONS.map((type) => [type, checkParameters])),
  };
}

/** The linter's rule `names/nouns`: variables and parameters are nouns of the thing. */
module.exports = { meta: { name: 'names' }, rules: { nouns: { create: createRule } } };
