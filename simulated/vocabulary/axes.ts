import type { Axis } from './axis';
import { HARMLESSNESS_AXES } from './harmlessness-axes';
import { INFORMATIVENESS_AXES } from './informativeness-axes';
import { STYLE_AXES } from './style-axes';

/** Every choice that preferences are made of. */
export const AXES: readonly Axis[] = [...STYLE_AXES, ...INFORMATIVENESS_AXES, ...HARMLESSNESS_AXES];
