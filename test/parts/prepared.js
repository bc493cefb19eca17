const VARIABLE = 'CUPID_TEST_PARTS';

/** Parts that were prepared for this run, by name, as in `part.ts`. They are in the environment, which Jest's test processes inherit. */
exports.readParts = () => JSON.parse(process.env[VARIABLE] ?? '{}');

exports.writeParts = (parts) => {
  process.env[VARIABLE] = JSON.stringify(parts);
};
