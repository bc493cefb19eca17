const groupTests = require('./test/together');

// Messages name commands as the user called cupid; under npx, they would begin with npx in tests, too.
delete process.env.npm_command;

// OpenTelemetry's imports some of itself when it is used, as ES modules do.
const MODULES_ONLY = '@opentelemetry/otlp-exporter-base';

/** Builds the project of a tier, which is a directory. The setup of its tests runs only with it. */
const tier = (name, settings = {}) => ({
  displayName: name,
  roots: [`<rootDir>/test/${name}`],
  testMatch: ['**/*.test.ts'],
  testEnvironment: '<rootDir>/test/node-environment.js',
  setupFiles: ['<rootDir>/test/property-seed.ts'],
  // Dynamic imports name the compiled file.
  moduleNameMapper: {
    // Nothing is bundled in tests.
    '/thread-file$': '<rootDir>/test/thread-file.js',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^preact(?:/jsx-runtime)?$': '<rootDir>/test/preact.js',
    // ES modules in forty packages; these two files hold the same.
    '^@observablehq/plot$': '<rootDir>/node_modules/@observablehq/plot/dist/plot.umd.min.js',
    '^d3(?:@.*)?$': '<rootDir>/node_modules/d3/dist/d3.min.js',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
          target: 'es2023',
        },
        module: { type: 'commonjs' },
      },
    ],
    // ES modules only, which Jest cannot load as they are.
    [`/node_modules/(${MODULES_ONLY})/.+\\.js$`]: [
      '@swc/jest',
      { jsc: { parser: { syntax: 'ecmascript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${MODULES_ONLY})/)`],
  ...settings,
});

const withParts = { globalSetup: '<rootDir>/test/parts/prepare.ts' };

// Unit tests run in groups, unless the command line chooses test files.
const CHOOSES_FILES = /\/|\.test|^--(testPathPatterns?|findRelatedTests|only|changed|last)/i;
const areGrouped = !process.argv.slice(2).some((word) => CHOOSES_FILES.test(word));
const unit = areGrouped ? { roots: [groupTests('unit')], testMatch: ['**/*.test.js'] } : {};

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    tier('unit', unit),
    tier('engine', withParts),
    tier('promises', withParts),
    tier('end-to-end', withParts),
  ],
  // Against hanging only: no slow machine takes as long.
  testTimeout: 15 * 60_000,
  // Two cores are the least this runs on. Four workers kept them busy for 61 % of the time (end-to-end, 2026-11-30), six for 100 %.
  maxWorkers: 5,
  // On a busy machine, a worker that has nothing left to do takes longer to exit than the default of half a second.
  workerGracefulExitTimeout: 30_000,
  testSequencer: '<rootDir>/test/longest-first.js',
  reporters: ['default', '<rootDir>/test/closing-line-reporter.js'],
};
