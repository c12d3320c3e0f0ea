/** The program where it is one file, in one folder: what is started, the program itself, and what V8 has compiled of it. */
export const programFiles = {
  start: 'start.cjs',
  program: 'step-program.cjs',
  compiled: 'compiled/step-program',
} as const;
