export { batches } from './batch/batches';
export { control } from './control/control';
export { evaluation } from './evaluation/evaluation';
export { persona } from './synthesis/persona';
export { run } from './synthesis/run';
