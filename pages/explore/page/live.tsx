import { renderExplorer } from './explore';

// The page that the command serves.

renderExplorer();
