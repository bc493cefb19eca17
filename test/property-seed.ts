import { configureGlobal } from 'fast-check';

// Every run tries the same examples, so that only a change can break a test. CUPID_TEST_SEED selects others.
configureGlobal({ seed: Number(process.env['CUPID_TEST_SEED'] ?? 11) });
