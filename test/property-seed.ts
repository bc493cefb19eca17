import { configureGlobal } from 'fast-check';

// Every run tries the same examples, so that a change is what breaks a test. CUPID_TEST_SEED picks others.
configureGlobal({ seed: Number(process.env['CUPID_TEST_SEED'] ?? 11) });
