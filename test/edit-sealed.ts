import { readFileSync, writeFileSync } from 'node:fs';
import { sealJson } from '../data/store/stored-json';

/** Edits a document of a run's store and computes its hash again, as someone would who means harm. */
export function editSealed(file: string, edit: (text: string) => string): void {
  const { sha256: _, ...content } = JSON.parse(edit(readFileSync(file, 'utf8')));
  writeFileSync(file, sealJson(content));
}
