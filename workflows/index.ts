export { control } from './control';
export { evaluation } from './evaluation';
export { persona } from './persona';
export { run } from './run';
export { study } from './study';
export { trial } from './trial';
