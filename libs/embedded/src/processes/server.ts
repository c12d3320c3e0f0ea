import { freePort } from './free-port.ts';
import { StartFailure, type SupervisedProcess, type Supervision } from './supervise.ts';

/** What every embedded server is started with. */
export interface ServerOptions extends Pick<
  Supervision<unknown>,
  'logFile' | 'removeAfterExit' | 'keepsUsAlive' | 'signal' | 'say'
> {
  /** A fixed port; by default a free one. */
  readonly port?: number | undefined;
}

export interface RunningServer extends Omit<SupervisedProcess<unknown>, 'ready'> {
  readonly port: number;
  readonly url: string;
}

const ATTEMPTS = 5;

/** Starts a server on the port that is asked for, or on a free one, and on another where that gets taken meanwhile. */
export async function startOnPort<Server>(
  fixed: number | undefined,
  portTaken: RegExp,
  start: (port: number) => Promise<Server>,
): Promise<Server> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(fixed ?? (await freePort()));
    } catch (error) {
      const isTaken = error instanceof StartFailure && portTaken.test(error.output);
      if (!isTaken || fixed !== undefined || attempt === ATTEMPTS) throw error;
    }
  }
}
