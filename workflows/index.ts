export { dialogue } from './dialogue';
export { persona } from './persona';
export { run } from './run';
