export { batches } from './batch/batches';
export { control } from './control/control';
export { evaluation } from './evaluation/evaluation';
export { study } from './evaluation/study';
export { trial } from './evaluation/trial';
export { persona } from './synthesis/persona';
export { run } from './synthesis/run';
