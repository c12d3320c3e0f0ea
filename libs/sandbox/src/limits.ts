import type { GuestOptions } from './sandbox.ts';

type Limits = Pick<GuestOptions, 'cpuSeconds' | 'fileBytes' | 'addressBytes' | 'niceness'>;

/** A command that has these limits, as whatever it starts has; as it is where there are none. */
export function withLimits(
  command: readonly [string, ...string[]],
  { cpuSeconds, fileBytes, addressBytes, niceness }: Limits,
): readonly [string, ...string[]] {
  const limits = [
    // The kernel kills at the hard border; the soft one comes with a signal that says why.
    ...(cpuSeconds === undefined ? [] : [`ulimit -S -t ${cpuSeconds}`, `ulimit -H -t ${cpuSeconds + 5}`]),
    ...(fileBytes === undefined ? [] : [`ulimit -f ${Math.ceil(fileBytes / BLOCK_BYTES)}`]),
    ...(addressBytes === undefined ? [] : [`ulimit -v ${Math.ceil(addressBytes / 1024)}`]),
  ];
  if (limits.length === 0 && niceness === undefined) return command;
  const start = niceness === undefined ? 'exec "$0" "$@"' : `exec nice -n ${niceness} "$0" "$@"`;
  return ['/bin/sh', '-c', [...limits, start].join(' && '), ...command];
}

/** In which POSIX has a shell count the sizes of files. */
const BLOCK_BYTES = 512;
