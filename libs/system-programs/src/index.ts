export { debianProgram, type DebianProgram } from './debian-program.ts';
export { findOnPath, missingPrograms } from './find-on-path.ts';
