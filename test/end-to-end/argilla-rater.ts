import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const recordsSchema = z.array(
  z.looseObject({ fields: z.object({ question: z.string(), items: z.string() }) }),
);

/** Responds to all records as a rater does in Argilla, where an item without a quotation is not expressed. */
export async function respondInArgilla(file: string): Promise<void> {
  const records = recordsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const answered = records.map((record) => {
    const isRequest = record.fields.question.startsWith('Does the request');
    const labels = record.fields.items
      .split('\n\n')
      .map((item) => (isRequest || !item.includes('Quoted:') ? 'Not Covered' : 'Fully Covered'));
    const responses = {
      ...Object.fromEntries(labels.map((label, at) => [`item_${at + 1}`, label])),
      realism: 5,
      implicitness: 5,
    };
    return {
      ...record,
      status: 'completed',
      responses: Object.fromEntries(Object.entries(responses).map(([name, value]) => [name, [{ value }]])),
    };
  });
  await writeFile(file, JSON.stringify(answered));
}
