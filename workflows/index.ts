export { control } from './control';
export { dialogue } from './dialogue';
export { evaluation } from './evaluation';
export { persona } from './persona';
export { run } from './run';
export { study } from './study';
export { trial } from './trial';
