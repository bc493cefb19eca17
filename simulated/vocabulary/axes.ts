import type { Axis } from './axis';
import { STYLE_AXES } from './style-axes';

/** Every choice that preferences are made of. */
export const AXES: readonly Axis[] = [...STYLE_AXES];
