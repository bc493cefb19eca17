// The command line names these, so this module imports no zod.

export const INSTANCE_TYPES = ['consistent', 'contrastive', 'changing'] as const;
export type InstanceType = (typeof INSTANCE_TYPES)[number];
