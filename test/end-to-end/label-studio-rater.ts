import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { findAnswer } from './qualification';

const tasksSchema = z.array(
  z.looseObject({
    data: z.looseObject({ question: z.string(), items: z.array(z.object({ text: z.string() })) }),
  }),
);

/** Annotates all tasks as a rater does in Label Studio who finds each preference expressed and no request revealing. */
export async function annotateInLabelStudio(file: string): Promise<void> {
  const tasks = tasksSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const annotated = tasks.map(({ data }) => {
    const isRequest = data.question.startsWith('Does the request');
    const labels = data.items.map(({ text }, at) => ({
      from_name: `label_${at}`,
      type: 'choices',
      value: {
        choices: [findAnswer(text.replace(/^\d+\. /, '')) ?? (isRequest ? 'Not Covered' : 'Fully Covered')],
      },
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
