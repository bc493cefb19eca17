import { config } from 'zod';
import { answerFrom } from '../../parts/address';
import { createBundledAnswers } from '../bundled-answers';
import { renderExplorer } from './explore';

// The page of a bundle, whose answers come from files.

// The page's policy forbids the code that zod would compile.
config({ jitless: true });

answerFrom(
  createBundledAnswers(async (file) => {
    const response = await fetch(file).catch(() => undefined);
    if (response?.ok !== true) throw new Error(`${file} is missing on this server. Reload the page.`);
    return response.json();
  }),
);
renderExplorer();
