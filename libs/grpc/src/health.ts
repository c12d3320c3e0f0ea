import type {
  sendUnaryData,
  Server,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';

type Check = (call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) => void;
type Watch = (call: ServerWritableStream<unknown, unknown>) => void;

/**
 * Serves `grpc.health.v1`. Each check first asks whether what every call needs is there, so that whoever asks hears what is so now and
 * whoever watches hears of it then.
 */
export function serveHealth(
  server: Pick<Server, 'addService'>,
  names: readonly string[],
  isHealthy: () => Promise<boolean> = () => Promise.resolve(true),
): { /** From now on nothing is served, and whoever watches has heard the last of it. */ end(): void } {
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])));
  let isOver = false;
  let present: 'SERVING' | 'NOT_SERVING' = 'SERVING';
  const say = (status: typeof present): void => {
    if (status === present) return;
    present = status;
    for (const name of names) health.setStatus(name, status);
  };
  const whenAsked =
    (check: Check): Check =>
    (call, respond) => {
      isHealthy()
        .catch(() => false)
        .then((healthy) => {
          say(healthy && !isOver ? 'SERVING' : 'NOT_SERVING');
          check(call, respond);
        })
        .catch((error: unknown) => respond(error as Error));
    };
  const watchers = new Set<Parameters<Watch>[0]>();
  const untilOver =
    (watch: Watch): Watch =>
    (call) => {
      watch(call);
      watchers.add(call);
      call.on('cancelled', () => watchers.delete(call));
      if (isOver) call.end();
    };
  const addService: Server['addService'] = (definition, implementation) => {
    const standard = implementation as UntypedServiceImplementation & { readonly check: Check; readonly watch: Watch };
    server.addService(definition, {
      ...standard,
      check: whenAsked(standard.check) as never,
      watch: untilOver(standard.watch) as never,
    });
  };
  health.addToServer({ addService });
  return {
    end: () => {
      isOver = true;
      say('NOT_SERVING');
      for (const call of watchers) call.end();
    },
  };
}
