const VARIABLE = 'CUPID_TEST_PARTS';

/**
 * The parts that were prepared for this run, by name, as `part.ts` describes them. They are in the environment, which the processes of Jest
 * that run the tests inherit.
 */
exports.readParts = () => JSON.parse(process.env[VARIABLE] ?? '{}');

exports.writeParts = (parts) => {
  process.env[VARIABLE] = JSON.stringify(parts);
};
