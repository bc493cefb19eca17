/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  // Dynamic imports name the compiled file.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  globalSetup: '<rootDir>/test/set-up.ts',
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
    // ES modules only, which Jest cannot load as they are.
    '/node_modules/(hyparquet|hyparquet-compressors|hysnappy)/.+\\.js$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'ecmascript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(?!(hyparquet|hyparquet-compressors|hysnappy)/)'],
  testTimeout: 60_000,
  // Two cores are the least this runs on; more workers only make real servers miss their deadlines.
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/longest-first.js',
  reporters: ['default', '<rootDir>/test/closing-line-reporter.js'],
};
