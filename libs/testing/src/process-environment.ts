/**
 * What every process that a test starts has of our own environment: where programs are, where files of this run go, and where
 * Node keeps what it has compiled, so that the same service does not compile itself with each start.
 */
export const processEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  };
};
