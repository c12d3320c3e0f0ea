export { debianProgram, type DebianProgram } from './debian-program.ts';
export { findOnPath } from './find-on-path.ts';
