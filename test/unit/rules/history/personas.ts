import type { Instance } from '../../../../schemas/dataset/instance';
import { instanceSchema } from '../../../../schemas/dataset/instance';
import { splitExamplePersona } from '../examples';

/** Builds the rows of a persona that has nothing in common with any other. */
export function buildPersona(id: number, seed = 42, nSessions = 13): Instance[] {
  const text = JSON.stringify(splitExamplePersona({ personaId: id, nSessions, seed }))
    .replaceAll('+baker', `+trade_${id}`)
    .replaceAll('Workshop ', `Site${id}x`)
    .replaceAll(/Answers must name exactly (\d+) sources/g, `Rule${id}a$1 rule${id}b$1 rule${id}c$1 counts`)
    .replaceAll('Answers must rest on no source at all', `Change${id} counts`)
    .replaceAll(/Answer in session (\d+)\./g, `Answer ${id} in session $1.`.repeat(15))
    .replaceAll(/Help me at (\w+) with number (\d+)/g, `Ask${id}a$2 ask${id}b$2 for $1`);
  return instanceSchema.array().parse(JSON.parse(text));
}
