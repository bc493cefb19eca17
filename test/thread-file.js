// Stands in for data/readers/thread/thread-file.ts: nothing is bundled in tests.
const path = require('node:path');

module.exports = { THREAD_FILE: path.join(__dirname, 'read-table.js') };
