import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const tasksSchema = z.array(
  z.looseObject({
    data: z.looseObject({ question: z.string(), items: z.array(z.object({ text: z.string() })) }),
  }),
);

/** Annotates all tasks as a rater does in Label Studio, where an item without a quotation is not expressed. */
export async function annotateInLabelStudio(file: string): Promise<void> {
  const tasks = tasksSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const annotated = tasks.map(({ data }) => {
    const isRequest = data.question.startsWith('Does the request');
    const labels = data.items.map(({ text }, at) => ({
      from_name: `label_${at}`,
      type: 'choices',
      value: { choices: [isRequest || !text.includes('Quoted:') ? 'Not Covered' : 'Fully Covered'] },
    }));
    const ratings = ['realism', 'implicitness'].map((name) => ({
      from_name: name,
      type: 'rating',
      value: { rating: 5 },
    }));
    return { data, annotations: [{ result: [...labels, ...ratings] }] };
  });
  await writeFile(file, JSON.stringify(annotated));
}
