export { control } from './control/control';
export { evaluation } from './evaluation/evaluation';
export { persona } from './synthesis/persona';
export { review } from './review/review';
export { run } from './synthesis/run';
export { study } from './evaluation/study';
export { trial } from './evaluation/trial';
