// The command line names these, so this module imports no zod.

/** Tools in which people can annotate a review's tasks instead of on its page. */
export const ANNOTATION_TOOLS = ['label-studio', 'argilla'] as const;
export type AnnotationTool = (typeof ANNOTATION_TOOLS)[number];
