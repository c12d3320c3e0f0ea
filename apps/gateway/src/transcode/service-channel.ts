import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { connectionSettled, errorFromStatus, isConnected, openChannel, type TlsFiles } from '@platform/grpc';

/** One service behind the gateway. Messages pass as bytes; nothing here knows what they mean. */
export interface ServiceChannel {
  /**
   * Makes one call. `done` is called once: with the answer's bytes, or with a `DomainError`. The
   * function returned gives the call up; then `done` may still be called.
   */
  call(path: string, message: Buffer, metadata: Metadata, deadlineMs: number, done: CallDone): () => void;
  /** Whether the service says that it can serve now; false as well when it does not answer in time. */
  healthy(timeoutMs: number): Promise<boolean>;
  close(): void;
}

/** `answer` is empty when there is an error. */
export type CallDone = (error: Error | undefined, answer: Buffer) => void;

const NOTHING = Buffer.alloc(0);
const asItIs = (bytes: Buffer): Buffer => bytes;

/** The standard health service, asked about the server as a whole with an empty message. */
const HEALTH_CHECK = '/grpc.health.v1.Health/Check';
/** `HealthCheckResponse { status: SERVING }`: field 1, value 1. */
const SERVING = Buffer.from([0x08, 0x01]);

/** A channel to `host:port`. Nothing is opened before the first call; a service that comes back is found by itself. */
export function serviceChannel(address: string, tls?: TlsFiles): ServiceChannel {
  const client = openChannel(address, tls);
  const channel = client.getChannel();

  const callNow: ServiceChannel['call'] = (path, message, metadata, deadlineMs, done) => {
    const running = client.makeUnaryRequest(
      path,
      asItIs,
      asItIs,
      message,
      metadata,
      { deadline: Date.now() + deadlineMs },
      (error: ServiceError | null, answer?: Buffer) => {
        if (error) done(errorFromStatus(error), NOTHING);
        else done(undefined, answer ?? NOTHING);
      },
    );
    return () => running.cancel();
  };

  /** Where packets disappear, grpc-js would wait for the whole deadline; the promise is 503 within 2 s. */
  const callOnceConnected: ServiceChannel['call'] = (path, message, metadata, deadlineMs, done) => {
    let given = false;
    let cancel = (): void => {
      given = true;
    };
    connectionSettled(channel)
      .then(() => {
        if (!given) cancel = callNow(path, message, metadata, deadlineMs, done);
      })
      .catch((error: unknown) => done(error as Error, NOTHING));
    return () => cancel();
  };

  const call: ServiceChannel['call'] = (...given) =>
    isConnected(channel) ? callNow(...given) : callOnceConnected(...given);

  return {
    call,
    healthy: (timeoutMs) =>
      new Promise((resolve) => {
        call(HEALTH_CHECK, NOTHING, new Metadata(), timeoutMs, (error, answer) =>
          resolve(!error && answer.equals(SERVING)),
        );
      }),
    close: () => client.close(),
  };
}
