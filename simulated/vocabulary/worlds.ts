import type { World } from './world';
import { WORLDS_OF_CARE } from './worlds-of-care';
import { WORLDS_OF_KNOWLEDGE } from './worlds-of-knowledge';
import { WORLDS_OF_MAKING } from './worlds-of-making';
import { WORLDS_OF_WORK } from './worlds-of-work';

export const WORLDS: readonly World[] = [
  ...WORLDS_OF_CARE,
  ...WORLDS_OF_KNOWLEDGE,
  ...WORLDS_OF_MAKING,
  ...WORLDS_OF_WORK,
];
