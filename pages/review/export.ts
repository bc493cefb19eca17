import { writeNewFolder, writeTextPart } from '../../data/store/new-folder';
import type { WrittenPart } from '../../schemas/dataset/export';
import type { Annotations, ReviewFolder } from '../../runs/review/folder';
import { LABEL_STUDIO_CONFIG, renderLabelStudioTasks, type LabelStudioTasks } from './label-studio';
import { RaterTasks } from './rater-tasks';

/**
 * Writes each rater's tasks for Label Studio, with the annotations so far, into a new folder. Returns the files.
 * @throws DataError when the path holds anything but an empty folder
 */
export async function exportReview(
  review: ReviewFolder,
  annotations: Annotations,
  outputDir: string,
): Promise<WrittenPart[]> {
  return writeNewFolder(outputDir, async (folder) => {
    const parts: WrittenPart[] = [];
    for (const [path, text] of listFiles(review, annotations)) {
      parts.push(await writeTextPart(folder, path, text));
    }
    return parts;
  });
}

function* listFiles(review: ReviewFolder, annotations: Annotations): Generator<readonly [string, string]> {
  const tasks = new RaterTasks(review, annotations);
  yield ['config.xml', LABEL_STUDIO_CONFIG];
  for (const rater of tasks.raters) {
    const own = renderLabelStudioTasks(listTasks(review, annotations, tasks, rater));
    yield [`${rater}.json`, `${JSON.stringify(own, null, 1)}\n`];
  }
}

function listTasks(
  { plan }: ReviewFolder,
  annotations: Annotations,
  tasks: RaterTasks,
  rater: string,
): LabelStudioTasks {
  const names = [...tasks.listOpenQualification(rater).map(({ task }) => task), ...tasks.listOwn(rater)];
  return {
    review: plan.id,
    rater,
    tasks: names.flatMap((name) => {
      const task = tasks.find(name);
      if (task === undefined) return [];
      return { task, own: annotations.getLatest(name).get(rater), others: tasks.listOthers(rater, name) };
    }),
  };
}
