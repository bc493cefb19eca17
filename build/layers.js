const path = require('node:path');

/** May be imported anywhere. */
const TYPES = ['schemas'];
const PURE = [...TYPES, 'engine', 'rules'];
const STEPS = [...PURE, 'data', 'models'];

/**
 * For each directory, the directories that it may import besides itself. The longest matching prefix of a path counts. A directory after `type `
 * may only be imported for its types.
 */
const LAYERS = {
  schemas: [],
  engine: TYPES,
  rules: [...TYPES, 'engine'],
  data: TYPES,
  models: TYPES,
  'models/simulated': STEPS,
  activities: STEPS,
  workflows: [...PURE, 'type activities'],
  workers: [...STEPS, 'models/simulated', 'activities'],
  publishing: [...PURE, 'data'],
  runs: [...PURE, 'data', 'workers', 'workflows', 'type activities'],
  pages: [...PURE, 'data', 'publishing', 'runs', 'workers'],
  cli: [...PURE, 'data', 'publishing', 'runs', 'workers', 'pages', 'type activities', 'type workflows'],
};

/** Returns the longest prefix of a path that is a layer, or undefined. */
function findLayer(file) {
  for (let prefix = file; prefix !== '.'; prefix = path.posix.dirname(prefix)) {
    if (Object.hasOwn(LAYERS, prefix)) return prefix;
  }
  return undefined;
}

function createRule(context) {
  const file = path.relative(context.cwd, context.filename).replaceAll(path.sep, '/');
  const layer = findLayer(file);
  if (layer === undefined) return {};
  const allowed = LAYERS[layer];

  const check = (source, isType) => {
    if (source?.type !== 'Literal' || !String(source.value).startsWith('.')) return;
    const target = findLayer(path.posix.join(path.posix.dirname(file), source.value));
    if (target === undefined || target === layer || allowed.includes(target)) return;
    if (isType && allowed.includes(`type ${target}`)) return;
    const kind = allowed.includes(`type ${target}`) ? 'only types of ' : 'nothing of ';
    context.report({ node: source, message: `${layer} imports ${kind}${target} (build/layers.js).` });
  };
  const checkDeclaration = (node) => check(node.source, isTypeOnly(node));
  return {
    ImportDeclaration: checkDeclaration,
    ExportNamedDeclaration: checkDeclaration,
    ExportAllDeclaration: checkDeclaration,
    ImportExpression: checkDeclaration,
    TSImportType: (node) => check(node.source ?? node.argument?.literal, true),
    CallExpression: (node) => node.callee.name === 'require' && check(node.arguments[0], false),
  };
}

const isType = ({ importKind, exportKind }) => importKind === 'type' || exportKind === 'type';

function isTypeOnly(node) {
  const { specifiers = [] } = node;
  return isType(node) || (specifiers.length > 0 && specifiers.every(isType));
}

/** The linter's rule `cupid/layers`: no directory imports from one above it. */
module.exports = { meta: { name: 'cupid' }, rules: { layers: { create: createRule } } };
