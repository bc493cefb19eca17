import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeNewFolder } from '../../data/store/new-folder';
import { writeSynced } from '../../data/store/store';
import type { WrittenPart } from '../../schemas/dataset/export';
import { renderArgillaDataset } from './argilla';
import type { Annotations, ReviewFolder } from './folder';
import type { ForeignTasks } from './foreign';
import { LABEL_STUDIO_CONFIG, renderLabelStudioTasks } from './label-studio';
import { RaterTasks } from './rater-tasks';
import type { AnnotationTool } from '../../schemas/review/annotation-tool';

/**
 * Writes each rater's tasks for another tool into a new folder, with what the rater annotated so far. Returns the files.
 * @throws DataError when something other than an empty folder is there
 */
export async function exportReview(
  review: ReviewFolder,
  annotations: Annotations,
  tool: AnnotationTool,
  outputDir: string,
): Promise<WrittenPart[]> {
  return writeNewFolder(outputDir, async (folder) => {
    const parts: WrittenPart[] = [];
    for (const [path, text] of listFiles(review, annotations, tool)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeSynced(join(folder, path), text);
      parts.push({ path, files: 1, bytes: Buffer.byteLength(text) });
    }
    return parts;
  });
}

function* listFiles(
  review: ReviewFolder,
  annotations: Annotations,
  tool: AnnotationTool,
): Generator<readonly [string, string]> {
  const tasks = new RaterTasks(review, annotations);
  if (tool === 'label-studio') yield ['config.xml', LABEL_STUDIO_CONFIG];
  for (const rater of tasks.raters) {
    const own = listForeignTasks(review, annotations, tasks, rater);
    if (tool === 'label-studio') {
      yield [`${rater}.json`, renderJson(renderLabelStudioTasks(own))];
      continue;
    }
    const items = Math.max(...own.tasks.map(({ task }) => task.checklist.length), 1);
    for (const [path, value] of Object.entries(renderArgillaDataset(own, items))) {
      yield [`${rater}/${path}`, renderJson(value)];
    }
  }
}

function listForeignTasks(
  { plan }: ReviewFolder,
  annotations: Annotations,
  tasks: RaterTasks,
  rater: string,
): ForeignTasks {
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

function renderJson(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
