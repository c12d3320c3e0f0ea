import { deadlineExceeded, unavailable } from '@platform-backend/core';
import { execFile } from 'node:child_process';

export interface ProgramOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What is done where the program is not installed. */
  readonly missing: () => Error;
}

export interface ProcessResult {
  /** 0 where it did what it was asked for. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** No program may take more memory than this, in KiB. */
const memoryKiB = 1024 * 1024;

/**
 * Runs a program with limits of time, memory and output, and without the service's own variables. It yields to whatever
 * else this machine has to do. UNAVAILABLE: nobody waits for it any more; DEADLINE_EXCEEDED: it took too long.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  { timeoutMs, signal, missing }: ProgramOptions,
): Promise<ProcessResult> {
  return new Promise((resolve, reject) => {
    const script = `ulimit -v ${memoryKiB} 2>/dev/null; exec nice -n 10 "$0" "$@"`;
    execFile(
      'sh',
      ['-c', script, program, ...args],
      {
        env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 4 * 2 ** 20,
        ...(signal !== undefined && { signal }),
      },
      (error, stdout, stderr) => {
        if (!error) resolve({ status: 0, stdout, stderr });
        else if (signal?.aborted) reject(unavailable(signal.reason));
        else if (error.killed) reject(deadlineExceeded(error));
        else if (error.code === 127 || error.code === 'ENOENT') reject(missing());
        else resolve({ status: typeof error.code === 'number' ? error.code : 1, stdout, stderr });
      },
    );
  });
}
